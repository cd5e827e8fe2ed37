import { isatty } from 'node:tty';

const STREAMS = [0, 1, 2];

/** The answer of a process to SIGHUP. */
export interface HangUps {
  /** Calls `reload` on each signal from now on, and now where one came before. */
  readonly begin: (reload: () => unknown) => void;
}

/**
 * Listens for SIGHUP from now on, so that the signal does not end the process before it serves. A terminal that was closed sends the signal, too: then
 * the process ends as on SIGTERM. Programs tell the two apart by the terminal, which is none any more.
 */
export function hearHangUps(
  terminals: readonly number[] = STREAMS.filter((fd) => isatty(fd)),
  isTerminal: (fd: number) => boolean = isatty,
  end: () => void = () => process.kill(process.pid, 'SIGTERM'),
): HangUps {
  let reload: (() => unknown) | null = null;
  let isPending = false;
  process.on('SIGHUP', () => {
    const isClosed = terminals.some((fd) => !isTerminal(fd));
    if (isClosed) end();
    else if (reload === null) isPending = true;
    else reload();
  });
  return {
    begin: (work) => {
      reload = work;
      if (isPending) work();
    },
  };
}
