/** A run of each option of each command, in a project that `realmc init` has made. */

export interface CommandRun {
  readonly words: readonly string[];
  /** Default: 0. */
  readonly code?: number;
}

const store = ["--store", "sqlite:./data"];
const run = (line: string, code = 0): CommandRun => ({ words: line.split(" "), code });

/** One after another, while nothing is served. */
export const runs: readonly CommandRun[] = [
  run("init --keep-existing"),
  run("build config --out generated --bundle dist"),
  run("build config --out generated --realm app"),
  run("build config --out generated --check"),
  run("build config --out alone --standalone-client"),
  // It makes the store, with a collection that is configured no longer afterwards.
  run("invoke app/work/finish --input input.json --config gone --store sqlite:./data", 1),
  run("key create --realm app --name ops --admin --replace --dist dist"),
  run(
    "key create --realm app --name some --areas users --networks 10.0.0.0/8 --expires-in 30d --on-behalf-of",
  ),
  {
    words: ["key", "create", "--realm", "app", "--name", "reader", "--scopes", '{"read":"*"}'],
  },
  run("key create --realm app --name for --on-behalf-of-required"),
  // There is nobody, and nothing, of these ids.
  run("key create --realm app --name of --user nobody", 1),
  run("key create --realm app --name in --org nowhere --roles member --teams none", 1),
  run("key list --realm app --dist dist"),
  run("key rotate --realm app --name some --overlap 1h --dist dist"),
  run("key revoke --realm app --name some --dist dist"),
  run("key revoke --realm app --id none --dist dist", 1),
  run("secret set --realm app --name TOKEN --dist dist"),
  run("secret list --realm app --dist dist"),
  { words: ["check", "config", "--format", "json", "--relative-to", ".", "--no-hints"] },
  { words: ["check", "config", "--against", "generated", ...store] },
  run("diff generated config --allow-breaking --format json"),
  run("diff generated config --no-new-access"),
  run("explain app/work/tasks --as anonymous --op list --config config --format json"),
  run("explain app/work/tasks --tests config/app/work/tasks/_tests/tasks.yaml --as ada --doc task --op read"),
  {
    words: [
      ...["explain", "app/work/tasks", "--as", '{"id":"ada"}', "--op", "create"],
      ...["--data", '{"title":"x"}', "--org", "o", "--team", "t"],
    ],
  },
  run("explain rule work/tasks read config --realm app --caller anonymous --json"),
  run("matrix config --realm app --format json"),
  run("matrix config --check matrix.json"),
  { words: ["matrix", "config", "--never", "anonymous: purge work/tasks"] },
  run("test config --filter tasks --format json"),
  run("test config --coverage --min-coverage 1"),
  // All that `init` has made have tests.
  run("test config --write", 2),
  run("seed config --store sqlite:./seeded --realm app"),
  { words: ["plan", "config", ...store, ..."--realm app --check --sample 10 --format json".split(" ")] },
  { words: ["plan", "config", ...store, "--old", "generated"] },
  { words: ["plan", "config", ...store, ..."--rehearse --scratch . --data data".split(" ")] },
  run("invoke app/work/finish --input input.json --as nobody", 2),
  run("copy --from sqlite:./data --to sqlite:./copied --realm app --dist dist"),
  run("copy --from sqlite:./data --to sqlite:./copied --into-non-empty"),
  run("copy --from sqlite:./data --files-from data --files-to files"),
  { words: ["export", ...store, ..."--to export --realm app --meta --include users,keys".split(" ")] },
  { words: ["export", ...store, ..."--to filed --include files --data data".split(" ")] },
  run("import --store sqlite:./filed-again --from filed --include files --data data"),
  { words: ["export", ...store, "--to", "tasks.ndjson", "--collection", "work/tasks", "--where", "{}"] },
  { words: ["export", ...store, ..."--to plain --format json --dist dist".split(" ")] },
  run("import --store sqlite:./imported --from export --realm app --meta --include users,keys --format json"),
  run(
    "import --store sqlite:./imported --from tasks.ndjson --collection work/tasks --mode merge --batch 10 --rejects rejects --dist dist",
  ),
  { words: ["migrate", ...store, ..."--realm app --dry-run --rate 100 --strict --format json".split(" ")] },
  { words: ["migrate", ...store, ..."--collection work/tasks --back 0001 --dist dist".split(" ")], code: 2 },
  {
    words: [
      ...["backup", ...store],
      ..."--to backup --realm app --data data --include-keys --no-verify --format json --dist dist".split(
        " ",
      ),
    ],
  },
  run("restore --from backup --to sqlite:./restored --realm app --data restored --format json --dist dist"),
  run("verify sqlite:./data --realm app --data data --format json --dist dist"),
  { words: ["drop", "app/work/gone", ...store, "--yes-delete", "0", "--format", "json", "--dist", "dist"] },
  run("migration new app/work/tasks again --yaml"),
  run("migration new app/work/projects again --old generated"),
];

/** While a server runs at `url`. */
export function runsBeside(url: string): readonly CommandRun[] {
  return [
    { words: ["export", "--url", url, "--to", "served"] },
    { words: ["import", "--url", url, "--from", "plain"] },
    { words: ["plan", "before", "--url", url] },
    {
      words: [
        "explain",
        "app/work/tasks",
        "--url",
        url,
        "--as",
        "anonymous",
        "--op",
        "list",
        "--config",
        "before",
      ],
    },
  ];
}

/** Commands that run until they are ended, and a line that they print once they work. */
export const lasting: readonly { readonly words: readonly string[]; readonly says: RegExp }[] = [
  {
    words: "dev before --out developed --port 0 --data developing --key --standalone-client".split(" "),
    says: /watching before/,
  },
  { words: "test before --watch".split(" "), says: /passed/ },
];

/** The same of a server, and the command that has another one take over. */
export const serving: { readonly words: readonly string[]; readonly handover: readonly string[] } = {
  words: ["serve", "--dist", "dist"],
  handover: ["serve", "dist", "--handover"],
};
