/** What commands say, and where. */
import picocolors from "picocolors";

export interface Terminal {
  /** Whether colours are welcome: on a terminal, unless `NO_COLOR` is set. */
  readonly colored: { readonly out: boolean; readonly err: boolean };
  /** A line of the command's product, on stdout. */
  readonly out: (line: string) => void;
  /** A line about it, on stderr. */
  readonly err: (line: string) => void;
  /** A mistake of whoever typed the command, on stderr. */
  readonly fail: (message: string) => void;
  /** What is being done now, on stderr: one changing line on a terminal, a line each elsewhere. */
  readonly step: (text: string) => void;
}

interface Stream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export interface Surroundings {
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export function createTerminal({ stdout, stderr, environment }: Surroundings): Terminal {
  const isColored = (stream: Stream): boolean => stream.isTTY === true && !environment["NO_COLOR"];
  const colored = { out: isColored(stdout), err: isColored(stderr) };
  const colors = picocolors.createColors(colored.err);
  const changing = stderr.isTTY === true && environment["TERM"] !== "dumb";
  let open = false;
  const clear = (): string => {
    const text = open ? "\r\u001b[K" : "";
    open = false;
    return text;
  };
  const err = (line: string): void => {
    stderr.write(`${clear()}${line}\n`);
  };
  return {
    colored,
    out(line) {
      if (open) stderr.write(clear());
      stdout.write(`${line}\n`);
    },
    err,
    fail(message) {
      err(`${colors.red("error:")} ${message}`);
    },
    step(text) {
      if (!changing) return err(text);
      stderr.write(clear() + colors.dim(`${text} …`));
      open = true;
    },
  };
}
