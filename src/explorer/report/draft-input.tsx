import { useEffect, useState } from 'preact/hooks';

/** An input whose text counts once its user has typed it, by Enter or on leaving; answers that come meanwhile leave it alone. */
export function DraftInput({
  value,
  onDone,
  ...attributes
}: {
  value: string;
  placeholder: string;
  class?: 'code';
  inputMode?: 'decimal' | 'numeric';
  'aria-label'?: string;
  onDone: (text: string) => void;
}) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return (
    <input
      {...attributes}
      spellcheck={false}
      value={text}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
      onChange={({ currentTarget }) => onDone(currentTarget.value.trim())}
    />
  );
}
