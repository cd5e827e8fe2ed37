import type { ReadonlySignal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { guardLeaving } from '../navigation.ts';
import { Dialog } from '../ui/dialog.tsx';

/** Asks before the user leaves a form with changes that are not saved. */
export function LeaveDialog({ isDirty }: { isDirty: ReadonlySignal<boolean> }) {
  const [target, setTarget] = useState<string | null>(null);
  const isLeaving = useRef(false);
  useEffect(() => {
    const unguard = guardLeaving((next) => {
      if (!isDirty.value || isLeaving.current) return true;
      setTarget(next);
      return false;
    });
    const onUnload = (event: BeforeUnloadEvent): void => {
      if (isDirty.value) event.preventDefault();
    };
    window.addEventListener('beforeunload', onUnload);
    return () => {
      unguard();
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
