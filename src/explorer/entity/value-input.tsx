import type { InputHTMLAttributes, TargetedInputEvent } from 'preact';
import { browserDateTime, type InputKind, isBrowserDate, isBrowserTime } from './field-values.ts';

/** The kinds of input whose values are edited as texts. */
export type TextKind = Exclude<InputKind, 'image' | 'blob'>;

/** An input for a value of a kind. Null is a state of its own. @param choices the only values beside null; null where any will do @param nullText stands where the value is null */
export function ValueInput({
  id,
  name,
  kind,
  text,
  maxLength,
  notNull = false,
  choices = null,
  isReadOnly = false,
  isRequired = false,
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
  choices?: readonly string[] | null;
  isReadOnly?: boolean;
  isRequired?: boolean;
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
    required: isRequired,
  } as const;
  const known = kind === 'boolean' ? ['true', 'false'] : choices;
  if (known !== null) {
    // What was there before a check has to be kept, too.
    const all = text === null || known.includes(text) ? known : [text, ...known];
    return (
      <select
        {...common}
        disabled={isReadOnly}
        value={text === null ? '' : chosen(text)}
        onChange={({ currentTarget: { value } }) => onText(value === '' ? null : value.slice(1))}
      >
        {(!notNull || text === null || nullText === NOT_SET) && (
          <option value="">{nullText}</option>
        )}
        {all.map((choice) => (
          <option key={choice} value={chosen(choice)}>
            {choice === '' ? 'empty text' : choice}
          </option>
        ))}
      </select>
    );
  }
  const isMoment = kind === 'date' || kind === 'dateTime' || kind === 'time';
  // The browser's inputs of dates and times show a pattern of their own where there is no value.
  const isPicker = isMoment && !(isReadOnly && text === null);
  const edited = {
    ...common,
    readOnly: isReadOnly,
    placeholder: isPicker ? undefined : placeholderOf(kind, text, nullText, isReadOnly),
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
        {...(isMoment && !isPicker ? { type: 'text', value: '' } : inputOf(kind, text, onText))}
        maxLength={isText ? (maxLength ?? undefined) : undefined}
      />
    );
  const isNull = text === null && nullText !== NOT_SET;
  const mayBeNull = !notNull && !isReadOnly && (isText || kind === 'object');
  return (
    <div class="field-control">
      {control}
      {mayBeNull && (
        <button
          type="button"
          class="null"
          aria-pressed={isNull}
          title={
            !isNull
              ? `Set to null${isText ? ', which is not the empty text' : ''}`
              : isText
                ? 'Is null. Typing, or this button, makes it a text'
                : 'Is null until a value is typed'
          }
          onClick={() => onText(isNull && isText ? '' : null)}
        >
          null<span class="visually-hidden"> for {name}</span>
        </button>
      )}
      {isPicker && text === null && <small class="unit">{nullText}</small>}
      {kind === 'dateTime' && <small class="unit">UTC</small>}
    </div>
  );
}

/** What stands for a null of a new entity that the user has not touched: nothing is sent then. */
export const NOT_SET = 'not set';

/** A choice as the value of its option: that of null is empty. */
function chosen(text: string): string {
  return `=${text}`;
}

/** Stands where there is nothing to see: a sign of null, and of what may be typed where that is not text. */
function placeholderOf(
  kind: TextKind,
  text: string | null,
  nullText: string,
  isReadOnly: boolean,
): string {
  if (text !== null) return isReadOnly ? 'empty text' : '';
  return kind === 'object' && !isReadOnly ? `${nullText} – or JSON: {"a": 1}` : nullText;
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
