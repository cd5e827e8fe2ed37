/** An answer as a browser has got it, at the end of all redirects. */
export interface Page {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Cookie {
  readonly value: string;
  readonly path: string;
  /** What else the server says of it, such as `HttpOnly; SameSite=Lax`. */
  readonly attributes: string;
}

/** A browser without scripts: it keeps cookies, which do not tell ports apart, and follows redirects. */
export class Browser {
  readonly cookies = new Map<string, Cookie>();
  /** All addresses that it has been led to. */
  readonly visited: string[] = [];

  /** Sends one request. */
  async send(url: string, init: RequestInit = {}): Promise<Page> {
    const { pathname } = new URL(url);
    const cookie = [...this.cookies]
      .filter(([, { path }]) => pathname.startsWith(path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
    this.visited.push(url);
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        ...(cookie === '' ? {} : { cookie }),
        ...(init.headers as Record<string, string> | undefined),
      },
    });
    for (const set of response.headers.getSetCookie()) this.#keep(set);
    const { status, headers } = response;
    return { url, status, headers, text: await response.text() };
  }

  /** Sends a request, and goes where the answers lead. @param until stops before such an address */
  async visit(
    url: string,
    init: RequestInit = {},
    until: (url: string) => boolean = () => false,
  ): Promise<Page> {
    const page = await this.send(url, init);
    const to = page.headers.get('location');
    if (page.status < 300 || page.status > 399 || to === null) return page;
    const next = new URL(to, url).href;
    return until(next) ? { ...page, url: next } : this.visit(next, {}, until);
  }

  /** Visits an address that leads to a provider's forms, and fills them in. */
  async signIn(url: string, user: string, until?: (url: string) => boolean): Promise<Page> {
    let page = await this.visit(url, {}, until);
    for (let form = formOf(page); form !== null; form = formOf(page)) {
      const body = new URLSearchParams({ ...form.fields, login: user, password: 'any' });
      page = await this.visit(form.action, { method: 'POST', body }, until);
    }
    return page;
  }

  #keep(set: string): void {
    const [, name = '', value = '', attributes = ''] =
      /^([^=]+)=([^;]*)(?:; ?)?(.*)$/.exec(set) ?? [];
    const path = /(?:^|; ?)path=([^;]*)/i.exec(attributes)?.[1] ?? '/';
    const isOver = /max-age=0\b/i.test(attributes) || /expires=[^;]*1970/i.test(attributes);
    if (isOver) this.cookies.delete(name);
    else this.cookies.set(name, { value, path, attributes });
  }
}

/** The form of a provider's page; null where there is none. */
function formOf({ text, url }: Page): { action: string; fields: Record<string, string> } | null {
  const [, action] = /<form[^>]* action="([^"]*)"/.exec(text) ?? [];
  if (action === undefined) return null;
  const inputs = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  return {
    action: new URL(action, url).href,
    fields: Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, value])),
  };
}
