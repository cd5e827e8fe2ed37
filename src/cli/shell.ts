import { displayPath } from '../config/document/text-file.ts';

/**
 * Returns how the user starts the gateway: `node dist/main.js` in a checkout, `entitygate` where it is installed, `npx entitygate` for a package of a project.
 * @param script the path of the started script
 */
export function programName(script: string, environment: NodeJS.ProcessEnv): string {
  const [, folder] = /[\\/]node_modules[\\/](\.bin|entitygate)[\\/]/.exec(script) ?? [];
  const isRunByNpx = folder !== undefined && environment['npm_command'] === 'exec';
  if (folder === '.bin' || isRunByNpx) return 'npx entitygate';
  if (folder !== undefined || !/\.[jt]s$/.test(script)) return 'entitygate';
  return `${script.endsWith('.ts') ? 'npx tsx' : 'node'} ${shellWord(displayPath(script))}`;
}

/** Quotes an argument where it needs it, so that bash, PowerShell and cmd take it; one with `$`, `` ` ``, `"` or `!` so that bash takes it. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./\\~-]+$/.test(text)) return text;
  return /["$`!]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : `"${text}"`;
}
