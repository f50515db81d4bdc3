import { migrate } from "realmc/migrations";

export default migrate<{ title: string }, { name: string }>({ forward: ({ title }) => ({ name: title }) });
