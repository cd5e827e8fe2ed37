import { useEffect } from 'preact/hooks';
import type { EntityEditor } from './entity-editor.ts';
import type { LockState } from './lock-state.ts';

/** How often the state of the lock is asked for while the page is looked at, in milliseconds. */
const EVERY = 15_000;

/** The state of the entity's lock, with what the user may do about it. */
export function LockPanel({ editor }: { editor: EntityEditor }) {
  useEffect(() => {
    const ask = (): void => {
      if (document.visibilityState === 'visible') void editor.updateLock('status');
    };
    const timer = setInterval(ask, EVERY);
    document.addEventListener('visibilitychange', ask);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', ask);
    };
  }, [editor]);
  const lock = editor.lock.value;
  if (lock === null || editor.key === null) return null;
  return (
    <div class={`lock ${lock.kind}`}>
      <span role="status">{textOf(lock)}</span>
      {(lock.kind === 'free' || lock.kind === 'lost') && (
        <button type="button" onClick={() => void editor.updateLock('true')}>
          Lock
        </button>
      )}
      {(lock.kind === 'own' || lock.kind === 'lost') && (
        <button type="button" onClick={() => void editor.updateLock('false')}>
          Unlock
        </button>
      )}
      {lock.kind === 'others' && (
        <button type="button" onClick={() => void editor.updateLock('status')}>
          Ask again
        </button>
      )}
    </div>
  );
}

function textOf(lock: LockState): string {
  switch (lock.kind) {
    case 'free':
      return 'Not locked';
    case 'own':
      return 'Locked by you';
    case 'others':
      return `Locked by ${lock.by}`;
    case 'lost':
      return 'Your lock was lost: others may have changed the entity';
    case 'gone':
      return 'The entity does not exist any more';
    case 'changed':
      return 'The entity has changed since you read it';
  }
}
