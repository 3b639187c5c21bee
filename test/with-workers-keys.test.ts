import { testsWithWorkers } from "./support/server-with-workers.ts";

await testsWithWorkers("../../src/areas/api-keys/keys/verification/verify-key.test.ts");
await testsWithWorkers("../../src/areas/commerce/metering/quotas/consume.test.ts");
await testsWithWorkers("../http.test.ts");
await testsWithWorkers("../../src/api/failed-credentials.test.ts");
await testsWithWorkers("../../src/areas/operations/system-status/system.test.ts");
await testsWithWorkers("../../src/areas/insight/analytics/traffic.test.ts");
await testsWithWorkers("../hosts.test.ts");
await testsWithWorkers("../idempotency.test.ts");
await testsWithWorkers("../../src/areas/commerce/metering/takes/verify-and-observe.test.ts");
