import type { ReadonlySignal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Dialog } from '../ui/dialog.tsx';

/** Asks before the user leaves a form with changes that are not saved. */
export function LeaveDialog({ isDirty }: { isDirty: ReadonlySignal<boolean> }) {
  const [target, setTarget] = useState<string | null>(null);
  const isLeaving = useRef(false);
  useEffect(() => {
    const onHashChange = (event: HashChangeEvent): void => {
      if (!isDirty.value || isLeaving.current) return;
      const here = new URL(event.oldURL).hash;
      // The address goes back before anything shows the other view.
      event.stopImmediatePropagation();
      history.replaceState(null, '', here);
      setTarget(new URL(event.newURL).hash);
    };
    const onUnload = (event: BeforeUnloadEvent): void => {
      if (isDirty.value) event.preventDefault();
    };
    window.addEventListener('hashchange', onHashChange, { capture: true });
    window.addEventListener('beforeunload', onUnload);
    return () => {
      window.removeEventListener('hashchange', onHashChange, { capture: true });
      window.removeEventListener('beforeunload', onUnload);
    };
  }, [isDirty]);
  if (target === null) return null;
  return (
    <Dialog title="Leave without saving?" onClose={() => setTarget(null)}>
      <p>Your changes are not saved.</p>
      <p class="entity-actions">
        <button
          type="button"
          class="danger"
          onClick={() => {
            isLeaving.current = true;
            location.hash = target;
          }}
        >
          Discard and leave
        </button>
        <button type="button" autofocus onClick={() => setTarget(null)}>
          Stay
        </button>
      </p>
    </Dialog>
  );
}
