import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { parseCases } from './parse.ts';

/** Makes a module of tests of each file of cases. */
export const textCases: Plugin = {
  name: 'text-cases',
  enforce: 'pre',
  load(id) {
    const [file = ''] = id.split('?');
    if (!file.endsWith('.cases')) return null;
    const groups = parseCases(readFileSync(file, 'utf8'), file);
    const modules = [...new Set(groups.map(({ module }) => module))];
    const at = (path: string): string =>
      JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));
    const imports = modules.map(
      (name, index) => `import * as m${index} from ${at(`../integration/shapes/${name}.ts`)};`,
    );
    const named = modules.map((name, index) => `${JSON.stringify(name)}: m${index}`);
    return `import { runCases } from ${at('./run.ts')};
${imports.join('\n')}
runCases(${JSON.stringify(file)}, { ${named.join(', ')} });`;
  },
};
