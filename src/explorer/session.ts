import { signal } from '@preact/signals';
import { isObject, type JsonObject, text, textsIn } from './rest/json.ts';
import { rest } from './rest/client.ts';
import { errorCodes, RestError } from './rest/rest-error.ts';

/** Where an API key is kept until its tab is closed. */
const KEPT_KEY = 'entitygate.api-key';

/** The name of the user; null for nobody in particular. */
export const userName = signal<string | null>(null);

/** Why the user has to log in; null where they need not. */
export const loginNeeded = signal<string | null>(null);

/** How users who must log in may say who they are; empty where they need not. */
export const loginWays = signal<readonly string[]>([]);

/** The identity provider that signs users in; null where none does. */
export const identityProvider = signal<string | null>(null);

/** Counts logins: views read anew what they show to another user. */
export const loginCount = signal(0);

rest.apiKey = sessionStorage.getItem(KEPT_KEY);
rest.onLoginNeeded = () => {
  const [hasEnded, isNew] = [userName.value !== null, loginNeeded.value === null];
  loginNeeded.value = hasEnded ? 'Your session has ended. Log in again.' : '';
  // The gateway names the ways to log in only to those who are not logged in. Several requests may find so at once.
  if (hasEnded && isNew) void askWho().then(noteWays, () => undefined);
};

/** Asks the gateway who the user is, and the user to log in where nothing is served without. @throws RestError */
export async function readUser(): Promise<void> {
  const answer = await askWho();
  const { result: user = null, logins } = answer;
  const name = isObject(user) ? (user['fullName'] ?? user['userName']) : null;
  noteWays(answer);
  userName.value = typeof name === 'string' && name !== '' ? name : null;
  if (logins !== undefined) loginNeeded.value = '';
}

async function askWho(): Promise<JsonObject> {
  const answer = await rest.request('/rest/$directory/currentUser');
  return isObject(answer) ? answer : {};
}

function noteWays({ logins, signIn }: JsonObject): void {
  identityProvider.value = text(signIn);
  loginWays.value = textsIn(logins);
}

/** Logs in to a session. @returns why it failed; null where it did not */
export async function logIn(user: string, password: string): Promise<string | null> {
  setKey(null);
  try {
    await rest.request('/rest/$directory/login', { body: [user, password] });
  } catch (error) {
    if (error instanceof RestError && error.status === 401) {
      return 'The name or the password is wrong.';
    }
    return messageOf(error);
  }
  return succeed();
}

/** Sends an API key with every request from now on. @returns why it is refused; null where it is not */
export async function useKey(key: string): Promise<string | null> {
  setKey(key.trim());
  try {
    await rest.request('/rest/$directory/currentUser');
  } catch (error) {
    setKey(null);
    const isRefused = error instanceof RestError && error.has(errorCodes.notLoggedIn);
    return isRefused ? 'The gateway does not know this key.' : messageOf(error);
  }
  return succeed();
}

/** Leaves the page for the identity provider, which leads back to what is shown. */
export function signIn(): void {
  const { pathname, search, hash } = location;
  const returnTo = encodeURIComponent(pathname + search + hash);
  location.assign(`${rest.origin}/oidc/sign-in?return_to=${returnTo}`);
}

/** Ends the session, also at the identity provider, and forgets the API key and all else that this tab keeps of the user. */
export async function logOut(): Promise<void> {
  const answer = await rest
    .request('/rest/$directory/logout', { method: 'POST' })
    .catch(() => null);
  rest.apiKey = null;
  sessionStorage.clear();
  const signOut = isObject(answer) ? text(answer['signOut']) : null;
  if (signOut === null) location.reload();
  else location.assign(signOut);
}

async function succeed(): Promise<null> {
  loginNeeded.value = null;
  await readUser();
  loginCount.value++;
  return null;
}

function setKey(key: string | null): void {
  rest.apiKey = key;
  if (key === null) sessionStorage.removeItem(KEPT_KEY);
  else sessionStorage.setItem(KEPT_KEY, key);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
