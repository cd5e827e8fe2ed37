import { useState } from 'preact/hooks';
import type { FieldProps } from './field-props.ts';
import { textOf, valueOf } from './field-values.ts';
import { NOT_SET, type TextKind, ValueInput } from './value-input.tsx';

/** The input of an attribute that is edited as text, a date, a time or a choice. */
export function FieldInput({
  attribute: { name, maxLength, notNull, values },
  editor,
  kind,
  ...props
}: FieldProps & { kind: TextKind }) {
  const drafted = editor.draft.value.get(name);
  const isUntouched = !editor.draft.value.has(name) && !editor.invalid.value.has(name);
  const value = isUntouched || drafted instanceof File ? editor.entity.value?.[name] : drafted;
  const [text, setText] = useState(() => textOf(value ?? null, kind));
  const take = (changed: string | null): void => {
    setText(changed);
    const read = valueOf(changed, kind);
    if (read.ok) editor.change(name, read.value);
    else editor.refuse(name, read.message);
  };
  return (
    <ValueInput
      {...props}
      name={name}
      kind={kind}
      text={text}
      maxLength={maxLength}
      notNull={notNull}
      choices={values}
      nullText={editor.key === null && (isUntouched || notNull) ? NOT_SET : 'null'}
      onText={take}
    />
  );
}
