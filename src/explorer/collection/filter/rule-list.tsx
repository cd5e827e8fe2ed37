import { useEffect, useId, useState } from 'preact/hooks';
import { Icon } from '../../ui/icon.tsx';
import {
  comparatorLabel,
  comparatorsOf,
  comparesWithNull,
  JOINERS,
  newRule,
  type Joiner,
  type PathType,
  type Rule,
  type RuleComparator,
  type TypeOfPath,
} from './rules.ts';

type Choices = (path: string, text: string, signal: AbortSignal) => Promise<readonly string[]>;

/** Rules to edit, each with the comparators of its attribute's type and the values that there are. */
export function RuleList({
  rules,
  typeOf,
  paths,
  choices,
  onChange,
}: {
  rules: readonly Rule[];
  typeOf: TypeOfPath;
  paths: readonly string[];
  choices: Choices;
  onChange: (rules: readonly Rule[]) => void;
}) {
  const id = useId();
  const [first = ''] = paths;
  const replace = (at: number, ...by: readonly Rule[]): void =>
    onChange(rules.flatMap((rule, index) => (index === at ? by : [rule])));
  return (
    <>
      <datalist id={`${id}-paths`}>
        {paths.map((path) => (
          <option key={path} value={path} />
        ))}
      </datalist>
      <ol class="plain rule-list">
        {rules.map((rule, at) => (
          <li key={at}>
            <RuleRow
              rule={rule}
              isFirst={at === 0}
              type={typeOf(rule.path)}
              typeOf={typeOf}
              pathList={`${id}-paths`}
              choices={choices}
              onChange={(next) => replace(at, next)}
            />
            <button
              type="button"
              class="quiet"
              aria-label={`Remove the condition on ${rule.path}`}
              onClick={() => replace(at)}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ol>
      <button
        type="button"
        onClick={() => onChange([...rules, newRule(first, typeOf(first) ?? 'string')])}
      >
        <Icon name="add" /> Condition
      </button>
      {rules.length > 2 && <p class="hint">Conditions are joined from top to bottom.</p>}
    </>
  );
}

function RuleRow({
  rule,
  isFirst,
  type,
  typeOf,
  pathList,
  choices,
  onChange,
}: {
  rule: Rule;
  isFirst: boolean;
  /** Null where there is no such path. */
  type: PathType | null;
  typeOf: TypeOfPath;
  pathList: string;
  choices: Choices;
  onChange: (rule: Rule) => void;
}) {
  const { path, comparator } = rule;
  const rename = (name: string): void => {
    const next = typeOf(name);
    const isSame = next !== null && comparatorsOf(next).includes(comparator);
    onChange(
      next === null || isSame
        ? { ...rule, path: name }
        : { ...newRule(name, next), joiner: rule.joiner },
    );
  };
  return (
    <>
      {!isFirst && (
        <select
          aria-label="Joined by"
          value={rule.joiner}
          onChange={({ currentTarget: { value } }) =>
            onChange({ ...rule, joiner: value as Joiner })
          }
        >
          {JOINERS.map((joiner) => (
            <option key={joiner}>{joiner}</option>
          ))}
        </select>
      )}
      <input
        class="rule-path"
        list={pathList}
        value={path}
        aria-label="Attribute"
        aria-invalid={type === null}
        spellcheck={false}
        onInput={({ currentTarget: { value } }) => rename(value)}
      />
      <select
        aria-label={`Comparator for ${path}`}
        value={comparator}
        onChange={({ currentTarget: { value } }) =>
          onChange({ ...rule, comparator: value as RuleComparator })
        }
      >
        {comparatorsOf(type ?? 'string').map((known) => (
          <option key={known} value={known}>
            {comparatorLabel(known, type ?? 'string')}
          </option>
        ))}
      </select>
      {!comparesWithNull(comparator) && (
        <ValueInput rule={rule} type={type ?? 'string'} choices={choices} onChange={onChange} />
      )}
    </>
  );
}

/** The value of a rule, in the input of its type; what the database has of it is proposed. */
function ValueInput({
  rule,
  type,
  choices,
  onChange,
}: {
  rule: Rule;
  type: PathType;
  choices: Choices;
  onChange: (rule: Rule) => void;
}) {
  const { path, comparator, values } = rule;
  const isList = comparator === 'IN';
  const [value = ''] = values;
  const [typed, setTyped] = useState<string | null>(null);
  const known = useChoices(choices, path, isList ? '' : typed);
  const id = useId();
  if (type === 'bool') {
    return (
      <select
        aria-label={`Value for ${path}`}
        value={value}
        onChange={({ currentTarget }) => onChange({ ...rule, values: [currentTarget.value] })}
      >
        <option>true</option>
        <option>false</option>
      </select>
    );
  }
  const set = (text: string): void => {
    setTyped(text);
    onChange({ ...rule, values: isList ? text.split(/\s*,\s*/) : [text] });
  };
  const toggle = (choice: string): void => {
    const others = values.filter((one) => one !== choice && one !== '');
    onChange({ ...rule, values: values.includes(choice) ? others : [...others, choice] });
  };
  // Inputs of times exist for dates alone: a moment is typed.
  const isDay = type === 'date' && !isList && /^(?:\d{4}-\d\d-\d\d)?$/.test(value);
  return (
    <>
      <input
        class="rule-value"
        type={isDay ? 'date' : 'text'}
        inputMode={['byte', 'word', 'long', 'long64', 'number'].includes(type) ? 'decimal' : 'text'}
        list={isList || isDay ? undefined : `${id}-values`}
        value={isList ? values.join(', ') : value}
        aria-label={isList ? `Values for ${path}, separated by commas` : `Value for ${path}`}
        onFocus={() => setTyped(isList ? '' : value)}
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
      {!isList && !isDay && (
        <datalist id={`${id}-values`}>
          {known.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
      {isList && (
        <details
          class="choices"
          onToggle={({ currentTarget }) => {
            if (currentTarget.open) setTyped('');
          }}
        >
          <summary>Choose</summary>
          <ul class="plain">
            {known.map((choice) => (
              <li key={choice}>
                <label>
                  <input
                    type="checkbox"
                    checked={values.includes(choice)}
                    onChange={() => toggle(choice)}
                  />
                  {choice}
                </label>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** How long a user has to stop typing before values are asked for, in milliseconds. */
const PAUSE = 200;

/** The values of an attribute, once they are asked for. @param text what they begin with; null asks for none */
function useChoices(choices: Choices, path: string, text: string | null): readonly string[] {
  const [known, setKnown] = useState<readonly string[]>([]);
  useEffect(() => {
    if (text === null) return;
    const left = new AbortController();
    const timer = setTimeout(() => {
      // Values are an offer: without them the user types.
      choices(path, text, left.signal).then(setKnown, () => setKnown([]));
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [path, text]);
  return known;
}
