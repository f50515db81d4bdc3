/** What commands say, and where. */
import picocolors from "picocolors";

export interface Terminal {
  /** What stdout and stderr lead to. */
  readonly outLook: Look;
  readonly errLook: Look;
  /** A line of the command's product, on stdout. */
  readonly out: (line: string) => void;
  /** A line about it, on stderr. */
  readonly err: (line: string) => void;
  /** A mistake of whoever typed the command, on stderr. */
  readonly fail: (message: string) => void;
  /** What is being done now, on stderr: one changing line on a terminal, a line each elsewhere. */
  readonly step: (text: string) => void;
}

/** How text may look that goes to a stream. */
export interface Look {
  /** Somebody reads it as it comes. */
  readonly terminal: boolean;
  /** Colours are welcome: on a terminal that has them, unless `NO_COLOR` is set. */
  readonly colored: boolean;
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
  const isDumb = environment["TERM"] === "dumb";
  const lookOf = ({ isTTY }: Stream): Look => ({
    terminal: isTTY === true,
    colored: isTTY === true && !isDumb && !environment["NO_COLOR"],
  });
  const errLook = lookOf(stderr);
  const colors = picocolors.createColors(errLook.colored);
  const changing = errLook.terminal && !isDumb && !environment["CI"];
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
    outLook: lookOf(stdout),
    errLook,
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
