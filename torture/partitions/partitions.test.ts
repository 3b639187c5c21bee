import { testPart } from "../inside-tests.ts";

testPart("partitions");
