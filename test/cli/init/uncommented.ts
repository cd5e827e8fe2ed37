/**
 * A configuration that init wrote, with the settings that it proposes in comments: of the lines that begin with `#` those where no blank,
 * or the blanks of an inner setting, stand behind it. What is only said stands one blank behind.
 */
export function uncommented(text: string): string {
  return text.replaceAll(/^(\s*)#(?! \S)/gm, '$1');
}
