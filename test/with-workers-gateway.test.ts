import { testsWithWorkers } from "./support/server-with-workers.ts";

await testsWithWorkers("../gateway-policies.test.ts");
await testsWithWorkers("../gateway-swap.test.ts");
await testsWithWorkers("../../src/areas/gateways/deployments/versions/upstreams.test.ts");
await testsWithWorkers("../gateway-observe.test.ts");
