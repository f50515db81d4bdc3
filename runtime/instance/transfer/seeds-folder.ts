/** In the folder of a run of `realmc dev`: seeds, as `seed` takes them. */
export const seedsFolder = "seeds";
