import { testsWithWorkers } from "./support/server-with-workers.ts";

await testsWithWorkers("../../src/areas/deployments/canary-releases/traffic.test.ts");
await testsWithWorkers("../../src/areas/deployments/try-requests/try-requests.test.ts");
await testsWithWorkers("../../src/areas/deployments/metrics.test.ts");
await testsWithWorkers("../../src/areas/variables/secrets.test.ts");
await testsWithWorkers("../../src/areas/variables/canary.test.ts");
