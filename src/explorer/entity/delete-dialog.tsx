import { shownKey } from '../rest/url.ts';
import type { EntityEditor } from './entity-editor.ts';
import { Dialog } from '../ui/dialog.tsx';

/** Asks whether an entity shall be deleted. @param label what it is known by; empty for its key alone */
export function DeleteDialog({
  editor,
  label,
  onClose,
}: {
  editor: EntityEditor;
  label: string;
  onClose: () => void;
}) {
  const { dataclass, key } = editor;
  const name = `${dataclass.name} ${shownKey(key ?? '')}`;
  return (
    <Dialog title={`Delete ${name}?`} onClose={onClose}>
      <p>
        {label === '' ? name : <strong>{label}</strong>} is deleted from the database. This cannot
        be undone.
      </p>
      <p class="entity-actions">
        <button
          type="button"
          class="danger"
          onClick={() => {
            onClose();
            void editor.delete();
          }}
        >
          Delete
        </button>
        <button type="button" autofocus onClick={onClose}>
          Cancel
        </button>
      </p>
    </Dialog>
  );
}
