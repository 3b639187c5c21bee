import { testsWithWorkers } from "./support/server-with-workers.ts";

await testsWithWorkers("../../src/areas/gateways/deployments/canary-releases/traffic.test.ts");
await testsWithWorkers("../../src/areas/gateways/deployments/try-requests/try-requests.test.ts");
await testsWithWorkers("../../src/areas/gateways/deployments/metrics.test.ts");
await testsWithWorkers("../../src/areas/gateways/variables/secrets.test.ts");
await testsWithWorkers("../../src/areas/gateways/variables/canary.test.ts");
