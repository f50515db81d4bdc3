/** Which process of this machine listens on a port, for people who want it for themselves. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { visible } from "../diagnostics/visible.ts";

/** Characters of a command line that are shown. */
const SHOWN = 80;
/** The state of a socket that listens, in the tables of Linux. */
const LISTENING = "0A";

/**
 * `process 4711 (node dist/server.mjs)`; undefined where that cannot be told: a process of another user, or a system that has
 * no way to find out.
 */
export function portHolder(port: number): string | undefined {
  try {
    if (process.platform === "linux") return onLinux(port);
    return process.platform === "win32" ? undefined : byLsof(port);
  } catch {
    return undefined;
  }
}

function onLinux(port: number): string | undefined {
  const sockets = new Set(["tcp", "tcp6"].flatMap((table) => listening(table, port)));
  if (sockets.size === 0) return undefined;
  const pid = readdirSync("/proc").find((name) => /^\d+$/.test(name) && hasOneOf(name, sockets));
  if (pid === undefined) return undefined;
  return described(pid, readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " "));
}

/** As links to open sockets name them. */
function listening(table: string, port: number): readonly string[] {
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return readFileSync(`/proc/net/${table}`, "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, address = "", , state, , , , , , inode] = line.trim().split(/\s+/);
      return address.endsWith(local) && state === LISTENING ? [`socket:[${inode}]`] : [];
    });
}

function hasOneOf(pid: string, sockets: ReadonlySet<string>): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((name) => sockets.has(linkOf(`${folder}/${name}`)));
  } catch {
    // Of another user, or over meanwhile.
    return false;
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

function byLsof(port: number): string | undefined {
  const words = ["-nP", `-iTCP:${port}`, "-sTCP:LISTEN", "-Fpc"];
  const stdio: ["ignore", "pipe", "ignore"] = ["ignore", "pipe", "ignore"];
  const told = execFileSync("lsof", words, { encoding: "utf8", stdio, timeout: 5_000 });
  const pid = /^p(\d+)$/m.exec(told)?.[1];
  return pid === undefined ? undefined : described(pid, /^c(.*)$/m.exec(told)?.[1] ?? "");
}

function described(pid: string, command: string): string {
  const shown = visible(command.trim());
  const short = shown.length > SHOWN ? `${shown.slice(0, SHOWN - 1)}…` : shown;
  return short === "" ? `process ${pid}` : `process ${pid} (${short})`;
}
