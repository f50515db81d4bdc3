/** Who is told of commits. */
export class Listeners {
  readonly #told = new Set<() => void>();

  get size(): number {
    return this.#told.size;
  }

  /** Answers how to stop. One entry a call, also where the same function listens twice. */
  add(listener: () => void): () => void {
    const own = () => tell(listener);
    this.#told.add(own);
    return () => this.#told.delete(own);
  }

  /** Each in a task of its own, so that none holds up the store or the others. */
  tell(): void {
    for (const own of this.#told) queueMicrotask(own);
  }
}

function tell(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
}
