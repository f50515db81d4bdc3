import { documentFields, type Field } from "../../../filter/fields.ts";
import { kept } from "../../../kept.ts";
import { QueryTimeout } from "../../contract/errors.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import type { Engine, Regularity } from "../engine.ts";
import { storeError } from "../errors.ts";
import {
  type CollectionState,
  declarationOf,
  declarationsOf,
  declaredFields,
  type FieldDeclaration,
  statesOf,
} from "./declarations.ts";
import { fitOf, scanPipeline } from "./scan.ts";

/** Milliseconds after a note within which this process does not note the same again. */
const NOTED = 30_000;
/** Milliseconds after a note for which nobody believes that no such document is there: it may be on its way. */
const ON_ITS_WAY = 60_000;
/** Milliseconds that looking at a large collection may take when nobody waits for it. */
const PATIENCE = 3_600_000;

/** The fields of one collection, and whether all stored documents fit them. */
export class FieldStates implements Regularity {
  readonly #engine: Engine;
  readonly #collection: string;
  readonly #declared: ReadonlyMap<string, Field>;
  readonly #declarations: readonly FieldDeclaration[];
  /** Where documents are known not to fit. */
  readonly #irregular = new Set<string>();
  readonly #arrays = new Set<string>();
  /** Where another instance of the same declaration says so, or has yet to look. */
  readonly #adopted = new Set<string>();
  /** Where another instance writes documents by another declaration. */
  #contested: ReadonlySet<string> = new Set();
  /** Those of them that are remembered. */
  #announced: ReadonlySet<string> = new Set();
  /** Grows when others contest, or did: what was looked at meanwhile says nothing. */
  #contests = 0;
  /** Where documents have yet to be looked at. */
  readonly #unseen = new Set<string>();
  /** When this process noted a path; milliseconds of `performance.now()`. */
  readonly #noted = new Map<string, number>();
  /** Whether a field is as the collection declares it. */
  readonly #known = new WeakMap<Field, boolean>();

  private constructor(engine: Engine, shape: CollectionShape) {
    this.#engine = engine;
    this.#collection = shape.name;
    this.#declared = declaredFields(shape);
    this.#declarations = declarationsOf(shape);
  }

  /**
   * Looks at the documents where it is not known how they fit, for as long as a search may take, and remembers it.
   * @param known what is remembered of the collection, or that it was made just now
   * @param rivals how other instances that run declare its fields
   */
  static async open(
    engine: Engine,
    shape: CollectionShape,
    known: CollectionState | "new" | undefined,
    rivals: readonly (readonly FieldDeclaration[])[],
  ): Promise<FieldStates> {
    const states = new FieldStates(engine, shape);
    states.#contested = states.#contestedBy(rivals);
    if (known === "new") {
      await states.#save([...states.#declared.keys()]);
      return states;
    }
    const before = new Map(known?.fields.map(({ path, declaration }) => [path, declaration]));
    const irregular = new Set(known?.irregular);
    for (const [path, field] of states.#declared) {
      if (irregular.has(path) || before.get(path) !== declarationOf(field)) states.#unseen.add(path);
    }
    for (const path of known?.arrays ?? []) states.#arrays.add(path);
    const isKnown = states.#unseen.size === 0 && before.size === states.#declared.size;
    if (isKnown && states.#contested.size === 0) return states;
    await states.#look([...states.#unseen], engine.searchTime);
    return states;
  }

  isRegular(field: Field): boolean {
    if (field.path === documentFields.id.path) return true;
    return this.#isDeclared(field) && !this.#isBlocked(field.path);
  }

  /** Whether documents may hold arrays at a field that is not declared so, as far as is known. */
  mayHoldArrays({ path }: Field): boolean {
    return this.#arrays.has(path);
  }

  async note(fields: readonly Field[]): Promise<void> {
    const now = performance.now();
    const paths = fields
      .map(({ path }) => path)
      .filter((path) => now - (this.#noted.get(path) ?? Number.NEGATIVE_INFINITY) > NOTED);
    if (paths.length === 0) return;
    await this.#remember({ irregular: union("$irregular", paths), notedAt: "$$NOW" });
    for (const path of paths) {
      this.#noted.set(path, now);
      this.#irregular.add(path);
    }
  }

  /** Takes irregular fields for such that hold arrays; answers whether any were not so before. */
  async noteArrays(): Promise<boolean> {
    const added = [...this.#declared.keys()].filter(
      (path) => this.#isBlocked(path) && !this.#arrays.has(path),
    );
    if (added.length === 0) return false;
    await this.#remember({ arrays: union("$arrays", added) });
    for (const path of added) this.#arrays.add(path);
    return true;
  }

  /** What is remembered now; undefined where that is nothing irregular. */
  adopt(state: CollectionState | undefined): void {
    const alike = this.#alike(state);
    this.#adopted.clear();
    for (const path of state?.irregular ?? []) if (alike.has(path)) this.#adopted.add(path);
    for (const path of state?.arrays ?? []) if (alike.has(path)) this.#arrays.add(path);
  }

  /** What other instances that run declare now. Fields that none declares otherwise any longer are to be looked at. */
  async contest(rivals: readonly (readonly FieldDeclaration[])[]): Promise<void> {
    const contested = this.#contestedBy(rivals);
    if (contested.size + this.#contested.size > 0) this.#contests += 1;
    for (const path of this.#contested) if (!contested.has(path)) this.#unseen.add(path);
    this.#contested = contested;
    const added = [...contested].filter((path) => !this.#announced.has(path));
    if (added.length > 0) await this.#remember({ irregular: union("$irregular", added) });
    this.#announced = contested;
  }

  /** Whether {@link settle} has something to do. */
  get isUnsettled(): boolean {
    return [...this.#unseen].some((path) => !this.#contested.has(path));
  }

  /** Looks at the documents as long as it takes, unless another instance of the same declarations has. */
  async settle(): Promise<void> {
    const options = { maxTimeMS: this.#engine.queryTime };
    const state = await statesOf(this.#engine).findOne({ _id: this.#collection }, options);
    const irregular = new Set(state?.irregular);
    for (const path of this.#alike(state ?? undefined)) {
      if (irregular.has(path) || this.#contested.has(path) || !this.#unseen.delete(path)) continue;
      this.#irregular.delete(path);
    }
    const paths = [...this.#unseen].filter((path) => !this.#contested.has(path));
    if (paths.length > 0) await this.#look(paths, PATIENCE);
  }

  /** Fields that are remembered by the declaration that they have here. */
  #alike(state: CollectionState | undefined): ReadonlySet<string> {
    const theirs = new Map(state?.fields.map(({ path, declaration }) => [path, declaration]));
    const alike = this.#declarations.filter(({ path, declaration }) => theirs.get(path) === declaration);
    return new Set(alike.map(({ path }) => path));
  }

  #isDeclared(field: Field): boolean {
    return kept(this.#known, field, () => {
      const own = this.#declared.get(field.path);
      return own !== undefined && declarationOf(own) === declarationOf(field);
    });
  }

  #isBlocked(path: string): boolean {
    return (
      this.#irregular.has(path) ||
      this.#contested.has(path) ||
      this.#unseen.has(path) ||
      this.#adopted.has(path)
    );
  }

  /** Fields that a rival declares otherwise, or not at all: it may write anything there. */
  #contestedBy(rivals: readonly (readonly FieldDeclaration[])[]): ReadonlySet<string> {
    const contested = new Set<string>();
    for (const rival of rivals) {
      const theirs = new Map(rival.map(({ path, declaration }) => [path, declaration]));
      for (const [path, field] of this.#declared) {
        if (theirs.get(path) !== declarationOf(field)) contested.add(path);
      }
    }
    return contested;
  }

  /** What takes longer than it may stays unseen. */
  async #look(paths: readonly string[], maxTimeMS: number): Promise<void> {
    const fields = paths.flatMap((path) => this.#declared.get(path) ?? []);
    const documents = this.#engine.database.collection(this.#collection);
    const [began, contests] = [performance.now(), this.#contests];
    let answer: Awaited<ReturnType<typeof documents.findOne>> = null;
    if (fields.length > 0) {
      try {
        const options = { maxTimeMS, signal: this.#engine.closing };
        answer = await documents.aggregate(scanPipeline(fields), options).next();
      } catch (error) {
        if (!(storeError(error) instanceof QueryTimeout)) throw error;
        await this.#save([]);
        return;
      }
    }
    if (this.#contests !== contests) return;
    const fits = new Map(fields.map(({ path }, at) => [path, fitOf(answer ?? undefined, at)] as const));
    for (const [path, fit] of fits) {
      if (fit === "arrays") this.#arrays.add(path);
      else this.#arrays.delete(path);
      if (fit !== "regular") this.#irregular.add(path);
    }
    const regular = [...fits.keys()].filter((path) => fits.get(path) === "regular");
    const doubtful = await this.#save(regular, performance.now() - began);
    for (const path of fits.keys()) if (!doubtful.has(path)) this.#unseen.delete(path);
    for (const path of regular) {
      this.#irregular.delete(path);
      if (!doubtful.has(path)) this.#adopted.delete(path);
    }
  }

  /**
   * Remembers everything; `regular` came out so when documents were looked at, which took so long. Answers those of which
   * somebody said meanwhile, or shortly before, that they are not: they are to be looked at once more.
   */
  async #save(regular: readonly string[], took = 0): Promise<ReadonlySet<string>> {
    const sure = new Set(regular.filter((path) => !this.#contested.has(path)));
    const irregular = [this.#irregular, this.#contested, this.#unseen].flatMap((paths) => [...paths]);
    const before = { $ifNull: ["$irregular", []] };
    const since = { $subtract: ["$$NOW", Math.ceil(took) + ON_ITS_WAY] };
    const cleared = { $setDifference: [before, { $literal: [...sure] }] };
    const others = { $cond: [{ $gt: ["$notedAt", since] }, before, cleared] };
    const state = await this.#remember({
      fields: { $literal: this.#declarations },
      irregular: { $setUnion: [others, { $literal: irregular.filter((path) => !sure.has(path)) }] },
      arrays: { $literal: [...this.#arrays] },
    });
    this.#announced = this.#contested;
    return new Set(state?.irregular.filter((path) => sure.has(path)));
  }

  async #remember(values: Record<string, unknown>): Promise<CollectionState | null> {
    const options = { upsert: true, returnDocument: "after", maxTimeMS: this.#engine.queryTime } as const;
    try {
      const states = statesOf(this.#engine);
      return await states.findOneAndUpdate({ _id: this.#collection }, [{ $set: values }], options);
    } catch (error) {
      throw storeError(error);
    }
  }
}

function union(path: string, values: readonly string[]) {
  return { $setUnion: [{ $ifNull: [path, []] }, { $literal: values }] };
}
