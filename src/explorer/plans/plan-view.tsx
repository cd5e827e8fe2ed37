import { useEffect, useState } from 'preact/hooks';
import { navigate } from '../navigation.ts';
import { hrefs } from '../routes.ts';
import { rest } from '../rest/client.ts';
import { withParameters } from '../rest/url.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { ErrorBox, Waiting } from '../ui/states.tsx';
import { type PlanNode, readPlan, type RequestPlan } from './plan-tree.ts';
import './plan.css';

/** The query plan of a request. @param url the request's URL, such as `/rest/Employee?$filter="…"` */
export function PlanView({ url }: { url: string }) {
  const [plan, setPlan] = useState<RequestPlan | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (url === '') return;
    const abort = new AbortController();
    setError(null);
    const asked = withParameters(url, { $queryplan: true, $querypath: true });
    rest.request(asked, { signal: abort.signal }).then(
      (answer) => setPlan(readPlan(answer)),
      (failure: unknown) => {
        if (!abort.signal.aborted) setError(failure);
      },
    );
    return () => abort.abort();
  }, [url, round]);
  return (
    <article class="plan page">
      <h1>Query plan</h1>
      <form
        class="plan-url"
        onSubmit={(event) => {
          event.preventDefault();
          const wanted = plainUrl(inputNamed(event.currentTarget, 'url'));
          if (wanted === url) setRound(round + 1);
          else navigate(hrefs.plan(wanted));
        }}
      >
        <label for="plan-url">Request</label>
        <input
          id="plan-url"
          name="url"
          defaultValue={url}
          placeholder='/rest/Employee?$filter="…"'
        />
        <button type="submit" class="primary">
          Run
        </button>
      </form>
      {error !== null ? (
        <ErrorBox error={error} onRetry={() => setRound(round + 1)} />
      ) : plan !== null ? (
        <Plan plan={plan} />
      ) : url === '' ? (
        <p class="hint">Give the URL of a read, such as a collection shows it.</p>
      ) : (
        <Waiting>Running the request…</Waiting>
      )}
    </article>
  );
}

/** A URL as the gateway's paths begin: without the origin, and without parameters that ask for plans. */
function plainUrl(text: string): string {
  const path = text.trim().replace(/^https?:\/\/[^/]+/, '');
  return path.replace(/([?&])\$query(?:plan|path)=\w+&?/g, '$1').replace(/[?&]$/, '');
}

function Plan({ plan: { query, steps, statements, engine } }: { plan: RequestPlan }) {
  return (
    <>
      {query !== null && (
        <section>
          <h2>What was asked</h2>
          <Tree label="What was asked" nodes={[query]} />
        </section>
      )}
      {steps.length > 0 && (
        <section>
          <h2>What it took</h2>
          <Tree label="What it took" nodes={steps} />
        </section>
      )}
      {engine.map(({ title, plan }, at) => (
        <section key={at}>
          <h2>
            What the database expects to do <small>for {title}</small>
          </h2>
          <Tree label={`What the database expects to do for ${title}`} nodes={[plan]} />
        </section>
      ))}
      {statements.length > 0 ? (
        <section>
          <h2>SQL</h2>
          {statements.map(({ title, text }, at) => (
            <figure key={at} class="plan-sql">
              <figcaption>
                {title} <CopyButton text={text} label="Copy" />
              </figcaption>
              <pre tabIndex={0} aria-label={`SQL of ${title}`}>
                {text}
              </pre>
            </figure>
          ))}
        </section>
      ) : (
        <p class="hint">
          SQL is shown where <code>queryPlans: sql</code> is configured, to those who see
          everything.
        </p>
      )}
    </>
  );
}

function Tree({ nodes, label }: { nodes: readonly PlanNode[]; label?: string }) {
  return (
    <ul class="plan-tree" aria-label={label}>
      {nodes.map((node, at) => (
        <li key={at}>
          <div class="plan-node">
            <span class="plan-title">{node.title}</span>
            {node.facts.map((fact, index) => (
              <span key={index} class="plan-fact">
                {fact}
              </span>
            ))}
            {node.share !== null && (
              <meter
                min={0}
                max={1}
                value={node.share}
                aria-label={`${Math.round(node.share * 100)} % of the whole`}
              />
            )}
          </div>
          {node.children.length > 0 && <Tree nodes={node.children} />}
        </li>
      ))}
    </ul>
  );
}

/** The text of an input of a form. */
function inputNamed(form: HTMLFormElement, name: string): string {
  const input = form.elements.namedItem(name);
  return input instanceof HTMLInputElement ? input.value : '';
}
