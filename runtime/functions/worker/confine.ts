/** Takes from a thread what would lead out of it, before anything of a handler runs there. */
import process from "node:process";

/** Ends this thread, and nothing else. */
const end: (code: number) => never = Reflect.get(process, "reallyExit").bind(process);
export const endThread: () => never = () => end(1);

/** What Node's own modules use of the process while a handler runs. All else of it is removed. */
const kept: ReadonlySet<string> = new Set([
  ...["_events", "_eventsCount", "_maxListeners", "domain", "_exiting", "exitCode", "_fatalException"],
  ...["_tickCallback", "nextTick", "emitWarning", "version", "versions", "arch", "platform", "release"],
  ...["features", "argv0"],
]);

/** Members that Node's modules ask for, with what they are answered. */
const replaced: Readonly<Record<string, unknown>> = {
  // Of `path.resolve`: nothing of the server's folders.
  cwd: () => "/",
  env: Object.freeze({}),
  argv: Object.freeze([]),
  execArgv: Object.freeze([]),
  // What Node calls where something is thrown that nobody catches.
  exit: endThread,
  reallyExit: endThread,
  // Warnings would stand in the server's own output.
  _rawDebug: () => undefined,
};

/** Whoever gets hold of the process object, as listeners of it do, has nothing in it. */
export function emptyProcess(): void {
  process.removeAllListeners("warning");
  for (const name of Object.getOwnPropertyNames(process)) {
    if (!kept.has(name)) Reflect.deleteProperty(process, name);
  }
  for (const [name, value] of Object.entries(replaced)) {
    Object.defineProperty(process, name, { value, enumerable: true });
  }
}

/** Messages come by a method of it, as whose `this` a handler would get hold of the ports of its thread. */
export function lockPorts(global: typeof globalThis): void {
  const { prototype } = global.EventTarget;
  for (const name of Reflect.ownKeys(prototype)) {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name) ?? {};
    const isAccessor = "get" in descriptor;
    Object.defineProperty(prototype, name, {
      configurable: false,
      ...(isAccessor ? {} : { writable: false }),
    });
  }
}

/** Where the `fetch` of Node keeps what opens its connections: whoever asks for `Response` would find it there. */
const dispatchers = [1, 2, 3].map((version) => Symbol.for(`undici.globalDispatcher.${version}`));

export function hideDispatchers(global: typeof globalThis): void {
  const value = Object.freeze({
    dispatch() {
      throw new TypeError("handlers reach hosts by ctx.fetch");
    },
  });
  for (const name of dispatchers) Object.defineProperty(global, name, { value });
}

/** Nothing makes code of text: what a handler runs is what was built. */
export function refuseCodeOfText(global: typeof globalThis): void {
  const prototypes = [() => {}, async () => {}, function* () {}, async function* () {}].map((each): object =>
    Object.getPrototypeOf(each),
  );
  for (const prototype of prototypes) {
    const refusing = () => {
      throw new EvalError("handlers make no code of text");
    };
    Object.defineProperty(refusing, "prototype", { value: prototype });
    Object.defineProperty(prototype, "constructor", { value: refusing, configurable: true, writable: true });
    if (prototype === Function.prototype)
      Object.defineProperty(global, "Function", { value: refusing, configurable: true, writable: true });
  }
  const refused = (text: unknown) => {
    // Of anything but text it is that.
    if (typeof text !== "string") return text;
    throw new EvalError("handlers make no code of text");
  };
  Object.defineProperty(global, "eval", { value: refused, configurable: true, writable: true });
}
