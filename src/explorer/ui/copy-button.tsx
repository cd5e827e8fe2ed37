import { useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

/** How long the button says that it has copied, in milliseconds. */
const SAID = 1500;

/** Copies a text. @param label says what is copied: "Copy URL" */
export function CopyButton({ text, label }: { text: string | (() => string); label: string }) {
  const [said, setSaid] = useState<string | null>(null);
  const copy = async (): Promise<void> => {
    const isCopied = await navigator.clipboard
      .writeText(typeof text === 'string' ? text : text())
      .then(
        () => true,
        () => false,
      );
    setSaid(isCopied ? 'Copied' : 'Not allowed here');
    setTimeout(() => setSaid(null), SAID);
  };
  return (
    <button type="button" class="quiet" onClick={() => void copy()}>
      <Icon name={said === 'Copied' ? 'check' : 'copy'} />
      <span aria-live="polite">{said ?? label}</span>
    </button>
  );
}
