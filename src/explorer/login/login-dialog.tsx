import { useState } from 'preact/hooks';
import { logIn, loginNeeded, useKey } from '../session.ts';
import { Dialog } from '../ui/dialog.tsx';

type Way = 'password' | 'key';

/** Asks who the user is, over whatever is shown: what they have edited stays. @param onCancel null where nothing can be shown without a login */
export function LoginDialog({ onCancel }: { onCancel: (() => void) | null }) {
  const [way, setWay] = useState<Way>('password');
  const [problem, setProblem] = useState<string | null>(null);
  const [isWaiting, setWaiting] = useState(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const data = new FormData(form);
    const field = (name: string): string => {
      const value = data.get(name);
      return typeof value === 'string' ? value : '';
    };
    setWaiting(true);
    setProblem(null);
    const found = await (way === 'password'
      ? logIn(field('user'), field('password'))
      : useKey(field('key')));
    setProblem(found);
    setWaiting(false);
    if (found !== null) form.querySelector<HTMLInputElement>('[type=password]')?.focus();
  };
  const reason = loginNeeded.value;
  return (
    <Dialog
      title="Log in"
      onClose={() => {
        if (onCancel !== null) onCancel();
        else loginNeeded.value = reason;
      }}
    >
      <form class="login" onSubmit={(event) => void submit(event)}>
        {reason !== null && reason !== '' && <p>{reason}</p>}
        <fieldset class="choice">
          <legend class="visually-hidden">How you log in</legend>
          {(['password', 'key'] as const).map((each) => (
            <label key={each}>
              <input
                type="radio"
                name="way"
                checked={way === each}
                onChange={() => {
                  setWay(each);
                  setProblem(null);
                }}
              />
              {each === 'password' ? 'Name and password' : 'API key'}
            </label>
          ))}
        </fieldset>
        {way === 'password' ? (
          <>
            <label>
              Name
              <input name="user" autocomplete="username" required autofocus />
            </label>
            <label>
              Password
              <input name="password" type="password" autocomplete="current-password" required />
            </label>
          </>
        ) : (
          <label>
            API key, kept until this tab is closed
            <input name="key" type="password" autocomplete="off" required />
          </label>
        )}
        {problem !== null && (
          <p class="error-box" role="alert">
            {problem}
          </p>
        )}
        <div class="buttons">
          {onCancel !== null && (
            <button type="button" onClick={onCancel}>
              Cancel
            </button>
          )}
          <button class="primary" disabled={isWaiting}>
            {isWaiting ? 'Logging in…' : 'Log in'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
