import { testPart } from "../inside-tests.ts";

testPart("failover");
