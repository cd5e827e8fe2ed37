import { useState } from 'preact/hooks';
import { catalog } from '../catalog.ts';
import { identityProvider, logIn, loginNeeded, loginWays, signIn, useKey } from '../session.ts';
import { Dialog } from '../ui/dialog.tsx';

type Way = 'password' | 'apiKey';

const WAYS = ['password', 'apiKey'] as const;

/** Asks who the user is, over whatever is shown: what they have edited stays. @param onCancel null where nothing can be shown without a login */
export function LoginDialog({ onCancel }: { onCancel: (() => void) | null }) {
  const told = loginWays.value.length > 0 ? loginWays.value : (catalog.value?.logins ?? []);
  const ways = WAYS.filter((each) => told.includes(each));
  const [way, setWay] = useState<Way>(ways[0] ?? 'password');
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
  const cancel = onCancel !== null && (
    <button type="button" onClick={onCancel}>
      Cancel
    </button>
  );
  return (
    <Dialog
      title="Log in"
      onClose={() => {
        if (onCancel !== null) onCancel();
        else loginNeeded.value = reason;
      }}
    >
      {reason !== null && reason !== '' && <p>{reason}</p>}
      {identityProvider.value !== null && (
        <div class="buttons">
          {ways.length === 0 && cancel}
          <button type="button" class="primary" autofocus onClick={signIn}>
            Sign in with {identityProvider.value}
          </button>
        </div>
      )}
      {ways.length === 0 && identityProvider.value === null && (
        <p>Nobody can log in here with a browser: the gateway takes tokens alone.</p>
      )}
      {ways.length > 0 && (
        <form class="login" onSubmit={(event) => void submit(event)}>
          {ways.length > 1 && (
            <fieldset class="choice">
              <legend class="visually-hidden">How you log in</legend>
              {ways.map((each) => (
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
          )}
          {way === 'password' ? (
            <>
              <label>
                Name
                <input
                  name="user"
                  autocomplete="username"
                  required
                  autofocus={identityProvider.value === null}
                />
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
            {cancel}
            <button class="primary" disabled={isWaiting}>
              {isWaiting ? 'Logging in…' : 'Log in'}
            </button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
