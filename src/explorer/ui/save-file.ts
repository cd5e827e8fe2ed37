/** How long the browser may take to begin a download, in milliseconds. */
const BEGINS = 60_000;

/** Saves what the page holds as a file. @param name proposes how the file is called */
export function saveFile(content: Blob, name: string): void {
  const href = URL.createObjectURL(content);
  Object.assign(document.createElement('a'), { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), BEGINS);
}
