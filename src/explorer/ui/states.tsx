import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { RestError } from '../rest/rest-error.ts';

/** Says what is waited for, to screen readers as well. */
export function Waiting({ children }: { children: ComponentChildren }) {
  return (
    <p class="state waiting" role="status">
      <span class="spinner" aria-hidden="true" />
      {children}
    </p>
  );
}

/** Says that there is nothing, and what can be done about it. @param isPage whether the page shows nothing else, and has its heading here */
export function Empty({
  title,
  isPage = false,
  children,
}: {
  title: string;
  isPage?: boolean;
  children?: ComponentChildren;
}) {
  const Title = isPage ? 'h1' : 'p';
  return (
    <div class="state empty">
      <Title class="empty-title">{title}</Title>
      {children}
    </div>
  );
}

/** A request's error in the gateway's words, with the id that finds it in the log. @param onRetry tries again @param takesFocus whether it answers what the user has just done, and comes into view */
export function ErrorBox({
  error,
  onRetry,
  takesFocus = false,
}: {
  error: unknown;
  onRetry?: () => void;
  takesFocus?: boolean;
}) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (takesFocus) box.current?.focus();
  }, [error]);
  const messages =
    error instanceof RestError && error.items.length > 0
      ? error.items.map(({ message, code }) => ({ message, code }))
      : [{ message: error instanceof Error ? error.message : String(error), code: null }];
  const requestId = error instanceof RestError && error.status >= 500 ? error.requestId : null;
  return (
    <div ref={box} class="error-box" role="alert" tabIndex={takesFocus ? -1 : undefined}>
      {messages.map(({ message, code }, index) => (
        <p key={index}>
          {message}
          {code !== null && <span class="code"> Error {code}.</span>}
        </p>
      ))}
      {requestId !== null && (
        <p class="code">
          The gateway’s log has it under <code>{requestId}</code>.
        </p>
      )}
      {onRetry !== undefined && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}
