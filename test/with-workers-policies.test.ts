import { testsWithWorkers } from "./support/server-with-workers.ts";

await testsWithWorkers("../../src/gateway/policies/jwt/jwt.test.ts");
await testsWithWorkers("../../src/gateway/policies/usage/usage.test.ts");
await testsWithWorkers("../../src/gateway/policies/quota/terms.test.ts");
await testsWithWorkers("../gateway-oauth.test.ts");
await testsWithWorkers("../../src/areas/customer-portal/oauth/endings.test.ts");
