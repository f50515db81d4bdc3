import { Int32, Long, ObjectId } from "mongodb";
import { firstVersion, nextVersion, type TopologyVersion } from "./faults-errors.ts";
import type { Fields } from "./faults-wire.ts";

/** What a member of the replica set is. */
export type Role = "primary" | "secondary";

/**
 * The one member of a replica set that drivers see: it may lose and win elections, and tells those who wait for it at
 * once (manual: `hello`; specification: SDAM, awaitable hello).
 */
export class Member {
  readonly #address: string;
  readonly #waiting = new Set<() => void>();
  readonly #follow: (() => void)[] = [];
  #version: TopologyVersion = firstVersion();
  #term = 1;
  #role: Role = "primary";

  constructor(address: string) {
    this.#address = address;
  }

  get role(): Role {
    return this.#role;
  }

  get version(): TopologyVersion {
    return this.#version;
  }

  become(role: Role): void {
    this.#role = role;
    if (role === "primary") this.#term += 1;
    this.#version = nextVersion(this.#version);
    for (const tell of [...this.#waiting]) tell();
  }

  /** The server's answer to `hello`, as this member gives it. */
  hello(answer: Fields): Fields {
    const primary = this.#role === "primary";
    const { primary: _, ismaster, ...rest } = answer;
    return {
      ...rest,
      ...(ismaster !== undefined && { ismaster: primary }),
      isWritablePrimary: primary,
      secondary: !primary,
      hosts: [this.#address],
      me: this.#address,
      ...(primary && { primary: this.#address, electionId: this.#electionId() }),
      topologyVersion: this.#version,
    };
  }

  /** Resolves when the member's state is another than the one named, or after the time. */
  async changed(than: unknown, milliseconds: number): Promise<void> {
    if (!this.#version.counter.equals(counterOf(than))) return;
    await new Promise<void>((resolve) => {
      const tell = () => {
        clearTimeout(timer);
        this.#waiting.delete(tell);
        resolve();
      };
      const timer = setTimeout(tell, milliseconds);
      timer.unref();
      this.#waiting.add(tell);
      for (const follow of this.#follow.splice(0)) follow();
    });
  }

  /** Resolves when a driver waits for changes, as they do half a second after they have connected. */
  async followed(): Promise<void> {
    if (this.#waiting.size > 0) return;
    await new Promise<void>((resolve) => {
      this.#follow.push(resolve);
    });
  }

  #electionId(): ObjectId {
    return new ObjectId(`7fffffff${this.#term.toString(16).padStart(16, "0")}`);
  }
}

function counterOf(version: unknown): Long {
  const counter = typeof version === "object" && version !== null && "counter" in version && version.counter;
  if (counter instanceof Long) return counter;
  return Long.fromNumber(counter instanceof Int32 ? counter.value : Number(counter));
}
