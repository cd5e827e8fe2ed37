import { useState } from 'preact/hooks';
import type { Dataclass } from '../rest/catalog.ts';
import { Dialog } from '../ui/dialog.tsx';
import { AttributeTree } from './attribute-tree.tsx';

/** Chooses the columns and their order, along relations. */
export function ColumnsDialog({
  dataclass,
  columns,
  onClose,
  onChoose,
}: {
  dataclass: Dataclass;
  columns: readonly string[];
  onClose: () => void;
  /** @param columns null for those that the dataclass begins with */
  onChoose: (columns: readonly string[] | null) => void;
}) {
  const [chosen, setChosen] = useState(columns);
  const toggle = (path: string): void =>
    setChosen(chosen.includes(path) ? chosen.filter((one) => one !== path) : [...chosen, path]);
  const move = (from: number, to: number): void => {
    const next = [...chosen];
    next.splice(to, 0, ...next.splice(from, 1));
    setChosen(next);
  };
  return (
    <Dialog title="Columns" onClose={onClose}>
      <div class="columns-dialog">
        <div class="column-tree">
          <AttributeTree dataclass={dataclass} prefix="" chosen={chosen} onToggle={toggle} />
        </div>
        <ol class="chosen-columns" aria-label="Chosen columns">
          {chosen.map((path, at) => (
            <li key={path}>
              <span>{path}</span>
              <button
                type="button"
                class="quiet"
                aria-label={`Move ${path} to the left`}
                disabled={at === 0}
                onClick={() => move(at, at - 1)}
              >
                ↑
              </button>
              <button
                type="button"
                class="quiet"
                aria-label={`Move ${path} to the right`}
                disabled={at === chosen.length - 1}
                onClick={() => move(at, at + 1)}
              >
                ↓
              </button>
              <button
                type="button"
                class="quiet"
                aria-label={`Remove ${path}`}
                onClick={() => toggle(path)}
              >
                ×
              </button>
            </li>
          ))}
        </ol>
      </div>
      <div class="buttons">
        <button type="button" onClick={() => onChoose(null)}>
          Standard
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          class="primary"
          disabled={chosen.length === 0}
          onClick={() => onChoose(chosen)}
        >
          Show
        </button>
      </div>
    </Dialog>
  );
}
