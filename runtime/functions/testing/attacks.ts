/**
 * What a handler may try to reach what `ctx` does not give it. Each is the body of an async function that returns what it got
 * hold of; null, undefined and an exception are nothing. In an ordinary thread of Node each gets something.
 */
export interface Attack {
  /** As docs/security.md names it. */
  readonly name: string;
  readonly body: string;
  /** The first version of Node that has what it looks for; default: every one that is supported. */
  readonly since?: number;
}

function attack(name: string, body: string, since?: number): Attack {
  return { name, body, ...(since !== undefined && { since }) };
}

/** Gets the process object as the emitter of the event of a rejection. */
const stealProcess = `
  const { EventEmitter } = require("events");
  const { emit } = EventEmitter.prototype;
  let stolen;
  EventEmitter.prototype.emit = function (...all) {
    if (typeof this.nextTick === "function") { stolen = this; return true; }
    return Reflect.apply(emit, this, all);
  };
  Promise.reject(new Error("x"));
  await new Promise((go) => setTimeout(go, 5));
  EventEmitter.prototype.emit = emit;`;

const importText = `"import('node:fs')"`;

/** Has a message come to the thread. */
const anyMessage = "await ctx.db.shop.notes.get('x').catch(() => undefined);";

/** Bytes that nobody has put into what it makes of some `size`. */
function uncleared(name: string, make: string, isFound = (byte: string) => `${byte} !== 0`): Attack {
  const body = `
    for (let at = 0; at < 3_000; at++) {
      const size = 64 + (at % 64) * 64;
      const found = [...${make}].find((byte) => ${isFound("byte")});
      if (found !== undefined) return found;
    }`;
  return attack(name, body);
}

function required(module: string): Attack {
  return attack(`require("${module}")`, `return require(${JSON.stringify(module)});`);
}

function global(name: string, since?: number): Attack {
  return attack(`globalThis.${name}`, `return globalThis.${name};`, since);
}

function ofProcess(name: string, body = `return stolen?.${name};`): Attack {
  return attack(`process.${name}, of a stolen process`, `${stealProcess} ${body}`);
}

export const attacks: readonly Attack[] = [
  // Node's loader of modules.
  attack('import("node:fs")', 'return await import("node:fs");'),
  attack("import() of a computed name", 'return await import(["node", "child_process"].join(":"));'),
  attack("import() of a file", 'return await import("file:///proc/self/../../dev/null");'),
  attack("import() of a data: URL", 'return await import("data:text/javascript,export default process");'),
  attack("require of a computed name", 'return require(["f", "s"].join(""));'),
  attack("require of a file", 'return require("/proc/self/../../dev/null");'),
  attack("require.cache", "return require.cache;"),
  attack("require.main, require.resolve", "return require.main ?? require.resolve;"),
  attack("module.constructor._load", 'return module.constructor._load("fs");'),
  attack("createRequire", 'return require("module").createRequire("/");'),
  ...["node:fs", "fs/promises", "child_process", "worker_threads", "wasi", "vm", "v8", "module"].map(
    required,
  ),
  ...["net", "http", "https", "http2", "tls", "dgram", "dns", "os", "cluster", "inspector", "repl"].map(
    required,
  ),
  ...["async_hooks", "diagnostics_channel", "process", "node:test", "console", "timers"].map(required),
  // Code of text.
  attack("eval", 'return eval("1 + 1");'),
  attack("eval, called as another name", 'return (0, eval)("globalThis");'),
  attack("import() in eval", `return await eval(${importText});`),
  attack(
    "eval, called by a built-in function",
    'return ["globalThis"].map(eval).filter((each) => typeof each === "object")[0];',
  ),
  attack(
    "eval, called by a timer",
    'return await new Promise((go) => setTimeout(() => { try { go(eval("globalThis")); } catch { go(); } }, 1));',
  ),
  attack("Function", 'return Function("return globalThis")();'),
  attack("new Function", 'return new Function("return globalThis")();'),
  attack("import() in Function", `return await Function("return " + ${importText})();`),
  attack("the constructor of a function", 'return (() => {}).constructor("return globalThis")();'),
  attack(
    "the constructor of an async function",
    'return await (async () => {}).constructor("return globalThis")();',
  ),
  attack(
    "the constructor of a generator",
    'return (function* () {}).constructor("yield globalThis")().next().value;',
  ),
  attack(
    "the constructor of an async generator",
    'return (await (async function* () {}).constructor("yield globalThis")().next()).value;',
  ),
  attack("the constructor of a class", 'return (class {}).constructor("return globalThis")();'),
  attack("the constructor of a function of Node's", 'return Buffer.from.constructor("return globalThis")();'),
  attack(
    "Reflect.construct of a constructor",
    'return Reflect.construct(Object.getPrototypeOf(async () => {}).constructor, ["return 1"]);',
  ),
  attack("a subclass of Function", 'return new (class extends Function {})("return globalThis")();'),
  // The process.
  global("process"),
  attack("process, of the emitter of a rejection", `${stealProcess} return stolen?.binding;`),
  ofProcess("binding"),
  ofProcess("_linkedBinding"),
  ofProcess("getBuiltinModule", "return stolen?.getBuiltinModule ?? stolen?.binding;"),
  ofProcess("dlopen"),
  ofProcess(
    "mainModule",
    "return stolen && ('mainModule' in stolen ? stolen.mainModule ?? stolen.binding : stolen.binding);",
  ),
  ofProcess("kill"),
  ofProcess("abort"),
  attack(
    "any other member of the process, of a stolen process",
    `${stealProcess}
     const known = "_events _eventsCount _maxListeners domain _exiting exitCode _fatalException _tickCallback nextTick emitWarning " +
       "version versions arch platform release features argv0 cwd env argv execArgv exit reallyExit _rawDebug";
     return Object.getOwnPropertyNames(stolen ?? {}).find((name) => !known.split(" ").includes(name));`,
  ),
  ofProcess("env", "return Object.keys(stolen?.env ?? {})[0];"),
  ofProcess("cwd", 'const at = stolen?.cwd?.(); return at === "/" ? undefined : at;'),
  ofProcess("execPath"),
  ofProcess("stdout", "return stolen?.stdout ?? stolen?.stderr;"),
  ofProcess("report"),
  ofProcess("_getActiveHandles", "return stolen?._getActiveHandles;"),
  ofProcess("setSourceMapsEnabled"),
  ofProcess("moduleLoadList"),
  ofProcess("title"),
  attack(
    "the working folder, of path.resolve",
    'const at = require("path").resolve("."); return at === "/" ? undefined : at;',
  ),
  attack("crypto.setEngine, which loads a library", 'return require("crypto").setEngine;'),
  attack("crypto.setFips", 'return require("crypto").setFips;'),
  // Memory of the process that others have freed.
  attack(
    "the pool of small buffers",
    'const { byteLength } = Buffer.from("x").buffer; return byteLength > 1 ? byteLength : undefined;',
  ),
  uncleared("Buffer.allocUnsafe", "Buffer.allocUnsafe(size)"),
  uncleared("Buffer.allocUnsafeSlow", "Buffer.allocUnsafeSlow(size)"),
  attack("SlowBuffer", 'return require("buffer").SlowBuffer;'),
  uncleared(
    "Buffer.from of bytes that lie about their length",
    'Buffer.from(Object.defineProperty(new Uint8Array(1), "length", { value: size }))',
  ),
  uncleared(
    "Buffer.concat of bytes that lie about their length",
    `Buffer.concat([Object.defineProperties(new Uint8Array(1), { length: { value: size }, byteLength: { value: size } })], size)`,
  ),
  uncleared(
    "Buffer.alloc by a changed length",
    `(() => {
       const { prototype } = Buffer;
       try { Object.defineProperty(prototype, "length", { configurable: true, get: () => 0 }); } catch { return []; }
       const got = Buffer.alloc(size, 1);
       delete prototype.length;
       return got;
     })()`,
    (byte) => `${byte} !== 0 && ${byte} !== 1`,
  ),
  // The ports of the thread.
  attack(
    "the ports of the thread, of the method that messages come by",
    `let port;
     const { prototype } = EventTarget;
     for (const name of Object.getOwnPropertySymbols(prototype)) {
       const { value } = Object.getOwnPropertyDescriptor(prototype, name);
       if (typeof value !== "function") continue;
       prototype[name] = function (...all) {
         if ("postMessage" in this) port = this;
         return Reflect.apply(value, this, all);
       };
     }
     ${anyMessage}
     return port;`,
  ),
  // The network.
  ...["fetch", "BroadcastChannel", "MessageChannel", "MessagePort"].map((name) => global(name)),
  ...["WebSocket", "EventSource", "navigator", "localStorage"].map((name) => global(name, 25)),
  attack(
    "the dispatcher of Node's fetch",
    `void globalThis.Response;
     const dispatcher = globalThis[Symbol.for("undici.globalDispatcher.1")];
     return dispatcher?.constructor === Object ? undefined : dispatcher;`,
  ),
  attack(
    "the console's streams",
    'return console._stdout ?? (typeof console.Console === "function" && console.Console.prototype ? console.Console : undefined);',
  ),
  // What calls show.
  attack(
    "Error.prepareStackTrace",
    `const before = Error.prepareStackTrace;
     Error.prepareStackTrace = (_, frames) => frames;
     const frames = [];
     const look = () => { frames.push(...new Error("x").stack); return 1; };
     [1].map(look); JSON.stringify({ toJSON: look }); await Promise.resolve().then(look);
     Error.prepareStackTrace = before;
     const found = frames.flatMap((frame) => [frame.getThis(), frame.getFunction()]);
     return found.find((each) => each !== undefined && each !== null && each !== globalThis);`,
  ),
  attack("the folder of the module", "return typeof __filename === 'string' ? __filename : undefined;"),
];
