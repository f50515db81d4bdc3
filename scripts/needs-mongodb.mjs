// Before `npm run test:mongo`: says what is missing.
if (!process.env.MONGODB_URI) {
  console.error(
    "MONGODB_URI is not set. It names the server that the tests run on, a replica set of which they may make and drop\n" +
      "databases, for example: MONGODB_URI='mongodb://127.0.0.1:27017/?replicaSet=rs0' npm run test:mongo",
  );
  process.exit(1);
}
