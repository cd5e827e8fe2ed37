import type { InputHTMLAttributes, TargetedInputEvent } from 'preact';
import { browserDateTime, type InputKind, isBrowserDate, isBrowserTime } from './field-values.ts';

/** The kinds of input whose values are edited as texts. */
export type TextKind = Exclude<InputKind, 'image' | 'blob'>;

/** An input for a value of a kind. Null is a state of its own. @param nullText stands where the value is null */
export function ValueInput({
  id,
  name,
  kind,
  text,
  maxLength,
  notNull = false,
  isReadOnly = false,
  describedBy,
  isInvalid,
  nullText,
  onText,
}: {
  id: string;
  name: string;
  kind: TextKind;
  text: string | null;
  maxLength: number | null;
  notNull?: boolean;
  isReadOnly?: boolean;
  describedBy: string | undefined;
  isInvalid: boolean;
  nullText: string;
  onText: (text: string | null) => void;
}) {
  const common = {
    id,
    name,
    'aria-describedby': describedBy,
    'aria-invalid': isInvalid,
  } as const;
  if (kind === 'boolean') {
    return (
      <select
        {...common}
        disabled={isReadOnly}
        value={text ?? ''}
        onChange={({ currentTarget: { value } }) => onText(value)}
      >
        {(!notNull || text === null) && <option value="">{nullText}</option>}
        <option value="true">true</option>
        <option value="false">false</option>
      </select>
    );
  }
  const edited = {
    ...common,
    readOnly: isReadOnly,
    placeholder: text === null ? nullText : '',
    autocomplete: 'off',
    spellcheck: false,
  } as const;
  const onInput = (event: TargetedInputEvent<HTMLInputElement | HTMLTextAreaElement>): void =>
    onText(event.currentTarget.value);
  const isText = kind === 'text' || kind === 'longText';
  const control =
    kind === 'longText' || kind === 'object' ? (
      <textarea
        {...edited}
        class={kind === 'object' ? 'mono' : ''}
        rows={rowsOf(text)}
        maxLength={maxLength ?? undefined}
        value={text ?? ''}
        onInput={onInput}
      />
    ) : (
      <input
        {...edited}
        {...inputOf(kind, text, onText)}
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
          onClick={() => onText(text === null && isText ? '' : null)}
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
