// What is compared with versions of images: sharp alone makes them of files, into files, so many at once.
import sharp from "sharp";

sharp.cache(false);

process.on("message", async ({ images, width, height, fit, atOnce }) => {
  const before = process.cpuUsage();
  const began = performance.now();
  let next = 0;
  const lane = async () => {
    for (let image = images[next++]; image !== undefined; image = images[next++])
      await sharp(image.from)
        .autoOrient()
        .resize({ width, height, fit })
        .jpeg({ quality: 80 })
        .toFile(image.to);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  const time = (performance.now() - began) * 1000;
  const { user, system } = process.cpuUsage(before);
  process.send({ time, cpu: user + system });
});
process.send({ ready: true });
