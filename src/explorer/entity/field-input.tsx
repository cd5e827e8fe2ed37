import { useState } from 'preact/hooks';
import type { InputHTMLAttributes, TargetedInputEvent } from 'preact';
import type { FieldProps } from './field-props.ts';
import {
  browserDateTime,
  type InputKind,
  isBrowserDate,
  isBrowserTime,
  textOf,
  valueOf,
} from './field-values.ts';

type TextKind = Exclude<InputKind, 'image' | 'blob'>;

/** The input of a value that is edited as text, a date, a time or a choice. Null is a state of its own. */
export function FieldInput({
  attribute,
  editor,
  id,
  isReadOnly,
  describedBy,
  isInvalid,
  kind,
}: FieldProps & { kind: TextKind }) {
  const { name, maxLength, notNull } = attribute;
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
  const common = {
    id,
    name,
    readOnly: isReadOnly,
    'aria-describedby': describedBy,
    'aria-invalid': isInvalid,
    placeholder: text === null ? (isUntouched && editor.key === null ? 'not set' : 'null') : '',
    autocomplete: 'off',
    spellcheck: false,
  } as const;
  const onInput = (event: TargetedInputEvent<HTMLInputElement | HTMLTextAreaElement>): void =>
    take(event.currentTarget.value);
  if (kind === 'boolean') {
    return (
      <select
        id={id}
        name={name}
        disabled={isReadOnly}
        aria-describedby={describedBy}
        aria-invalid={isInvalid}
        value={text ?? ''}
        onChange={(event) => take(event.currentTarget.value)}
      >
        {(!notNull || text === null) && (
          <option value="">{isUntouched && editor.key === null ? 'not set' : 'null'}</option>
        )}
        <option value="true">true</option>
        <option value="false">false</option>
      </select>
    );
  }
  const isText = kind === 'text' || kind === 'longText';
  const control =
    kind === 'longText' || kind === 'object' ? (
      <textarea
        {...common}
        class={kind === 'object' ? 'mono' : ''}
        rows={rowsOf(text)}
        maxLength={maxLength ?? undefined}
        value={text ?? ''}
        onInput={onInput}
      />
    ) : (
      <input
        {...common}
        {...inputOf(kind, text, take)}
        maxLength={isText ? (maxLength ?? undefined) : undefined}
      />
    );
  const mayBeNull = !notNull && !isReadOnly && (isText || kind === 'object');
  return (
    <div class="field-control">
      {control}
      {mayBeNull && (
        <button
          type="button"
          class="null"
          aria-pressed={text === null}
          title={
            text === null
              ? 'Is null. Typing, or this button, makes it a text'
              : 'Set to null, which is not the empty text'
          }
          onClick={() => take(text === null && isText ? '' : null)}
        >
          null<span class="visually-hidden"> for {name}</span>
        </button>
      )}
      {kind === 'dateTime' && <small class="unit">UTC</small>}
    </div>
  );
}

/** The browser's own input where that keeps the value, otherwise one of text. */
function inputOf(
  kind: TextKind,
  text: string | null,
  take: (text: string | null) => void,
): InputHTMLAttributes {
  const asIs = (type: string, more: InputHTMLAttributes = {}): InputHTMLAttributes => ({
    type: type as 'text',
    value: text ?? '',
    onInput: (event) => take(event.currentTarget.value),
    ...more,
  });
  if (kind === 'number') return asIs('text', { inputMode: 'decimal', class: 'number' });
  if (kind === 'date' && (text ?? '') === '') return asIs('date');
  if (kind === 'date') return asIs(isBrowserDate(text ?? '') ? 'date' : 'text');
  if (kind === 'time' && ((text ?? '') === '' || isBrowserTime(text ?? '')))
    return asIs('time', { step: 0.001 });
  const local = (text ?? '') === '' ? '' : browserDateTime(text ?? '');
  if (kind === 'dateTime' && local !== null) {
    return {
      type: 'datetime-local',
      step: 0.001,
      value: local,
      onInput: ({ currentTarget: { value } }) => take(value === '' ? null : `${value}Z`),
    };
  }
  return asIs('text');
}

function rowsOf(text: string | null): number {
  const lines = (text ?? '').split('\n').length + Math.floor((text ?? '').length / 90);
  return Math.min(12, Math.max(text === null ? 1 : 2, lines));
}
