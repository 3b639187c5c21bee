import { testsWithWorkers } from "./support/server-with-workers.ts";

await testsWithWorkers("../../src/areas/keys/verification/verify-key.test.ts");
await testsWithWorkers("../../src/areas/metering/quotas/consume.test.ts");
await testsWithWorkers("../http.test.ts");
