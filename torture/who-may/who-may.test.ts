import { testPart } from "../inside-tests.ts";

testPart("who-may");
