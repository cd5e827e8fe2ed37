import { parse, serialize, type SerializeOptions } from 'cookie';
import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { SIGN_IN_TIME, type SignIn } from '../../access/auth/sign-in.ts';
import { ProtocolError } from '../../base/errors.ts';
import { isOfThisMachine } from '../../config/settings/identity-provider.ts';
import { CALLBACK_PATH, LOGOUT_PATH, SIGN_IN_PATH } from '../../config/settings/oidc.ts';
import {
  cookieOptions,
  isGranted,
  namedSession,
  sessionHeaders,
  signInPrefix,
} from '../../state/session/sessions.ts';
import { EXPLORER_PATH, wantsPage } from '../http/browsers.ts';
import { checkedPublicUrl } from '../http/public-url.ts';
import { requestContextOf, send } from '../http/reply.ts';
import { answerOf, reportError } from '../pipeline/error-answers.ts';
import type { Served, SignInHandling } from '../rest.ts';
import { problemPage } from './problem-page.ts';

/** How many sign-ins of a browser may be under way at once, such as in several tabs. */
const MOST_BEGUN = 5;

/** The longest address to go on at, in characters: browsers keep cookies of 4,096 bytes. */
const LONGEST_RETURN = 2000;

/** The largest message of an identity provider, in bytes. */
const MAX_MESSAGE_BYTES = 65_536;

/** A request of a browser, with the gateway as it knows it. */
interface Visit extends SignInHandling {
  readonly signIn: SignIn;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The gateway's address. */
  readonly base: string;
  /** The cookies of the browser, by name. */
  readonly cookies: Readonly<Record<string, string | undefined>>;
}

/**
 * Serves the sign-in of people with a browser: `/oidc/sign-in` leads them to the identity provider, which leads them back to `/oidc/callback`, where they
 * get a session. `/oidc/backchannel-logout` is for the provider itself.
 */
export function serveSignIn(server: FastifyInstance, served: Served): void {
  const plugin: FastifyPluginCallback = (instance, _options, done) => {
    const visited = (visit: (visit: Visit) => Promise<FastifyReply>) => ({
      exposeHeadRoute: false,
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        requestContextOf(request).observer.requestNamed?.({ operation: 'signIn', dataclass: null });
        try {
          return await visit(visitOf(request, reply, served.handling.signIn));
        } catch (error) {
          return refuse(error, request, reply, wantedIn(request));
        }
      },
    });
    instance.get(SIGN_IN_PATH, visited(begin));
    instance.get(CALLBACK_PATH, visited(complete));
    const asForm = { parseAs: 'string', bodyLimit: MAX_MESSAGE_BYTES } as const;
    instance.addContentTypeParser(
      'application/x-www-form-urlencoded',
      asForm,
      (_request, body: string, parsed) => parsed(null, new URLSearchParams(body)),
    );
    instance.post(LOGOUT_PATH, async ({ body }, reply) => {
      await endSessions(body, served.handling.signIn);
      return reply.code(200).send();
    });
    done();
  };
  server.register(plugin);
}

/** @throws ProtocolError noSuchPath where nobody signs in by a provider, badHost for a name that is not the gateway's, badRequest without a name, and where somebody may listen */
function visitOf(request: FastifyRequest, reply: FastifyReply, handling: SignInHandling): Visit {
  const { signIn, settings } = handling;
  if (signIn === null) throw notConfigured();
  const base = checkedPublicUrl(request, settings.server);
  const url = new URL(base);
  if (url.protocol !== 'https:' && !isOfThisMachine(url)) {
    const message =
      'Sign in by https: otherwise others in the network could take over the session.';
    throw new ProtocolError('badRequest', message).advising(
      'server.tls serves https; behind a proxy that does, set server.trustedProxies or server.publicUrl.',
    );
  }
  return {
    ...handling,
    signIn,
    request,
    reply,
    base,
    cookies: parse(request.raw.headers.cookie ?? ''),
  };
}

function notConfigured(): ProtocolError {
  return new ProtocolError(
    'noSuchPath',
    'Nobody signs in here: authentication.oidc is not configured.',
  );
}

/** Leads a browser to the provider. */
async function begin(visit: Visit): Promise<FastifyReply> {
  const { signIn, request, reply, base, cookies, sessionNames } = visit;
  const begun = await signIn.begin(
    `${base}${CALLBACK_PATH}`,
    returnAddress(wantedIn(request), base),
  );
  const prefix = signInPrefix(sessionNames.cookie);
  const earlier = Object.keys(cookies).filter(
    (name) => name.startsWith(prefix) && STATE.test(name.slice(prefix.length)),
  );
  // Browsers send the oldest first (RFC 6265 §5.4).
  const forgotten = earlier.slice(0, Math.max(0, earlier.length - MOST_BEGUN + 1));
  return reply
    .header('set-cookie', [
      serialize(cookieName(sessionNames.cookie, begun.state), begun.sealed, {
        ...optionsFor(sessionNames.cookie, base),
        maxAge: SIGN_IN_TIME / 1000,
      }),
      ...forgotten.map((name) => forgetting(name, base)),
    ])
    .redirect(begun.url);
}

/** Opens the session of a user whom the provider leads back, and leads them on. An earlier one of the browser ends, so that an id planted before is worthless. */
async function complete(visit: Visit): Promise<FastifyReply> {
  const { signIn, request, reply, base, cookies, sessions, sessionNames, settings } = visit;
  const { searchParams } = new URL(request.originalUrl, base);
  const state = searchParams.get('state') ?? '';
  const name = cookieName(sessionNames.cookie, state);
  const sealed = STATE.test(state) ? cookies[name] : undefined;
  const { cookie = '' } = request.raw.headers;
  const earlier = namedSession({ cookie }, sessionNames);
  if (sealed === undefined) {
    // A reload of this address after the sign-in leads on to the explorer.
    const session = earlier === null ? null : await sessions.find(earlier);
    if (session !== null && isGranted(session)) return reply.redirect(`${base}${EXPLORER_PATH}`);
    const message = 'This browser has begun no such sign-in, or has ended it already.';
    throw new ProtocolError('notLoggedIn', message);
  }
  void reply.header('set-cookie', forgetting(name, base));
  const begun = await signIn.kept(sealed);
  let opened: string;
  try {
    const { login, grant } = await signIn.complete(searchParams, begun);
    if (earlier !== null) await sessions.close(earlier);
    ({ id: opened } = await sessions.open(login, true, settings.sessions.timeoutSeconds, grant));
  } catch (error) {
    return refuse(error, request, reply, begun.returnTo);
  }
  const headers = sessionHeaders(opened, sessionNames, base.startsWith('https:'));
  return reply.header('set-cookie', [headers['set-cookie']]).redirect(begun.returnTo);
}

/** Ends the sessions of those of whom the provider says that they have signed out. @throws ProtocolError badRequest, identityProviderAway */
async function endSessions(body: unknown, { signIn, sessions }: SignInHandling): Promise<void> {
  if (signIn === null) throw notConfigured();
  const [token, ...others] = body instanceof URLSearchParams ? body.getAll('logout_token') : [];
  if (token === undefined || others.length > 0) {
    throw new ProtocolError('badRequest', 'The body has to have one parameter logout_token.');
  }
  await sessions.closeGranted(await signIn.signedOut(token));
}

/** Where a user wants to go on, whatever that is; null where the request does not say it once. */
function wantedIn({ query }: FastifyRequest): string | null {
  const { return_to: wanted } = query as Readonly<Record<string, unknown>>;
  return typeof wanted === 'string' ? wanted : null;
}

/** Where the user goes on: an address of the gateway, and no other (https://cwe.mitre.org/data/definitions/601.html). */
function returnAddress(wanted: string | null, base: string): string {
  const fallback = `${base}${EXPLORER_PATH}`;
  if (wanted === null || !URL.canParse(wanted, base)) return fallback;
  const { href } = new URL(wanted, base);
  if (href.length > LONGEST_RETURN) return fallback;
  return href.startsWith(`${base}/`) && !href.startsWith(`${base}${SIGN_IN_PATH}`)
    ? href
    : fallback;
}

/** A parameter `state` of the gateway's, or its beginning. */
const STATE = /^[\w-]+$/;

/** The name of the cookie that keeps a sign-in: one for each, so that several tabs do not disturb each other. */
function cookieName(session: string, state: string): string {
  return `${signInPrefix(session)}${state.slice(0, 16)}`;
}

/** Only the paths of the sign-in get the cookie, also when the provider leads here; browsers keep one named `__Host-…` for all paths alone (RFC 6265bis §4.1.3.2). */
function optionsFor(name: string, base: string): SerializeOptions {
  const { pathname, protocol } = new URL('.', `${base}${CALLBACK_PATH}`);
  return cookieOptions(protocol === 'https:', name.startsWith('__Host-') ? '/' : pathname);
}

function forgetting(name: string, base: string): string {
  return serialize(name, '', { ...optionsFor(name, base), maxAge: 0 });
}

/** Tells a person that the sign-in has failed by a page, a program in the protocol's shape. @param wanted where they want to go on after another try */
function refuse(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  wanted: string | null,
): FastifyReply {
  reportError(error, requestContextOf(request).observer);
  const answer = answerOf(error);
  return send(wantsPage(request.raw) ? problemPage(answer, error, wanted) : answer, reply);
}
