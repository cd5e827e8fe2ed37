import { useState } from 'preact/hooks';
import { Dialog } from '../ui/dialog.tsx';
import { forgetSet, keepSet, keptSets, type KeptSet } from './kept-sets.ts';
import { entityCount } from './totals.ts';
import { describeSelection, SET_OPERATORS, type Selection, type SetOperator } from './selection.ts';

/** Keeps results by name, opens them again, and combines two of them. */
export function SetsDialog({
  dataclass,
  selection,
  count,
  onOpen,
  onClose,
}: {
  dataclass: string;
  /** What is shown, with the id of its set. */
  selection: Selection;
  count: number;
  onOpen: (from: Selection['from']) => void;
  onClose: () => void;
}) {
  const [name, setName] = useState('');
  const sets = keptSets.value.filter((one) => one.dataclass === dataclass);
  const keep = (event: Event): void => {
    event.preventDefault();
    keepSet({ name: name.trim(), dataclass, selection });
    setName('');
  };
  return (
    <Dialog title={`Sets of ${dataclass}`} onClose={onClose}>
      <div class="sets-dialog">
        <form onSubmit={keep}>
          <p class="hint">
            Shown now: {describeSelection(selection)} ({entityCount(count)})
          </p>
          <div class="row">
            <input
              value={name}
              required
              pattern=".*\S.*"
              aria-label="Name of the set"
              placeholder="Keep it as…"
              onInput={({ currentTarget: { value } }) => setName(value)}
            />
            <button type="submit" class="primary">
              Keep
            </button>
          </div>
        </form>
        {sets.length === 0 ? (
          <p class="hint">No set is kept yet. Keep two to combine them.</p>
        ) : (
          <ul class="plain set-list" aria-label="Kept sets">
            {sets.map((set) => (
              <li key={set.name}>
                <button type="button" class="quiet" onClick={() => onOpen(set.selection)}>
                  {set.name}
                </button>
                <span class="hint">{describeSelection(set.selection)}</span>
                <button
                  type="button"
                  class="quiet"
                  aria-label={`Forget ${set.name}`}
                  onClick={() => forgetSet(set)}
                >
                  ×
                </button>
              </li>
            ))}
          </ul>
        )}
        <Combine
          sets={[...sets, { name: 'what is shown now', dataclass, selection }]}
          onOpen={onOpen}
        />
      </div>
      <div class="buttons">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

const MEANINGS: Readonly<Record<SetOperator, string>> = {
  AND: 'AND – in both',
  OR: 'OR – in either',
  EXCEPT: 'EXCEPT – but not in',
};

function Combine({
  sets,
  onOpen,
}: {
  sets: readonly KeptSet[];
  onOpen: (from: Selection['from']) => void;
}) {
  const [left, setLeft] = useState(0);
  const [right, setRight] = useState(sets.length - 1);
  const [operator, setOperator] = useState<SetOperator>('AND');
  if (sets.length < 2) return null;
  const combine = (event: Event): void => {
    event.preventDefault();
    const [one, other] = [sets[left], sets[right]];
    if (one === undefined || other === undefined) return;
    onOpen({ operator, left: one.selection, right: other.selection });
  };
  return (
    <form class="row" onSubmit={combine}>
      <SetChoice label="First set" sets={sets} value={left} onChange={setLeft} />
      <select
        aria-label="Combined by"
        value={operator}
        onChange={({ currentTarget: { value } }) => setOperator(value as SetOperator)}
      >
        {SET_OPERATORS.map((known) => (
          <option key={known} value={known}>
            {MEANINGS[known]}
          </option>
        ))}
      </select>
      <SetChoice label="Second set" sets={sets} value={right} onChange={setRight} />
      <button type="submit">Combine</button>
    </form>
  );
}

function SetChoice({
  label,
  sets,
  value,
  onChange,
}: {
  label: string;
  sets: readonly KeptSet[];
  value: number;
  onChange: (at: number) => void;
}) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}
    >
      {sets.map(({ name }, at) => (
        <option key={at} value={at}>
          {name}
        </option>
      ))}
    </select>
  );
}
