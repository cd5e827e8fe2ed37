/**
 * Replaces a section of a document, or puts it before the first one.
 * @param heading of the second level, without its signs
 * @param text the section without its heading
 */
export function withSection(document: string, heading: string, text: string): string {
  const parts = document.split(/^(?=## )/m);
  const section = `## ${heading}\n\n${text.trim()}\n\n`;
  const at = parts.findIndex((part) => part.startsWith(`## ${heading}\n`));
  if (at === -1) parts.splice(1, 0, section);
  else parts[at] = section;
  return `${parts.join('').trimEnd()}\n`;
}
