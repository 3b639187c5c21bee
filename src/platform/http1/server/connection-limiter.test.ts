import { beforeEach, describe, expect, test } from "bun:test";
import {
  ConnectionLimiter,
  type ConnectionsElsewhere,
  type LimitedConnection,
  overflowConnections,
} from "./connection-limiter.ts";

class FakeConnection implements LimitedConnection {
  isEvicted = false;
  constructor(readonly idleSeconds: number | undefined) {}
  evict(): void {
    this.isEvicted = true;
  }
}

function filled(limiter: ConnectionLimiter, address: string, idle: (number | undefined)[]): FakeConnection[] {
  return idle.map((seconds) => {
    const connection = new FakeConnection(seconds);
    expect(limiter.admits(address)).toBe(true);
    limiter.add(connection, address);
    return connection;
  });
}

test("at the limit a new connection replaces the one that has been idle longest", () => {
  const limiter = new ConnectionLimiter({ maxConnections: 4, maxPerAddress: 10 });
  const connections = filled(limiter, "192.0.2.1", [undefined, 3, 9, 5]);
  expect(limiter.admits("192.0.2.2")).toBe(true);
  expect(connections.map(({ isEvicted }) => isEvicted)).toEqual([false, false, true, false]);
  expect(limiter.open).toBe(3);
});

test("busy connections, and new ones whose request may be in transit, are not closed", () => {
  const limiter = new ConnectionLimiter({ maxConnections: 2, maxPerAddress: 10 });
  const connections = filled(limiter, "192.0.2.1", [undefined, 0]);
  expect(limiter.admits("192.0.2.2")).toBe(false);
  expect(connections.some(({ isEvicted }) => isEvicted)).toBe(false);
  limiter.remove(connections[0]!);
  expect(limiter.admits("192.0.2.2")).toBe(true);
});

test("a connection may be closed once it has been idle for a second", () => {
  const limiter = new ConnectionLimiter({ maxConnections: 2, maxPerAddress: 10 });
  const connections = filled(limiter, "192.0.2.1", [0.999, 1]);
  expect(limiter.admits("192.0.2.2")).toBe(true);
  expect(connections.map(({ isEvicted }) => isEvicted)).toEqual([false, true]);
});

test.each([
  [16, 1],
  [17, 2],
  [32, 2],
])("at a limit of %d, %d that are idle are closed", (maxConnections, evicted) => {
  const limiter = new ConnectionLimiter({ maxConnections, maxPerAddress: 100 });
  const connections = filled(limiter, "192.0.2.1", Array(maxConnections).fill(5));
  expect(limiter.admits("192.0.2.2")).toBe(true);
  expect(connections.filter(({ isEvicted }) => isEvicted)).toHaveLength(evicted);
});

test("the last connection within a limit is admitted without closing another", () => {
  const limiter = new ConnectionLimiter({ maxConnections: 3, maxPerAddress: 2 });
  const connections = [...filled(limiter, "192.0.2.1", [5, 5]), ...filled(limiter, "192.0.2.2", [5])];
  expect(connections.some(({ isEvicted }) => isEvicted)).toBe(false);
  expect(limiter.open).toBe(3);
});

test("an address has its own limit, an IPv6 network counts as one, and Unix sockets and proxies have none", () => {
  const limiter = new ConnectionLimiter({ maxConnections: 100, maxPerAddress: 2 });
  filled(limiter, "2001:db8::1", [undefined, undefined]);
  expect(limiter.admits("2001:db8::2")).toBe(false);
  expect(limiter.admits("2001:db8:0:1::2")).toBe(true);
  filled(limiter, "", [undefined, undefined, undefined]);
  const idle = filled(limiter, "192.0.2.1", [5, undefined]);
  expect(limiter.admits("192.0.2.1")).toBe(true);
  expect(idle[0]!.isEvicted).toBe(true);
});

describe("with other processes", () => {
  const crowded: string[] = [];
  /** Two connections of other processes, one of them from 192.0.2.1. */
  const elsewhere: ConnectionsElsewhere = {
    total: 2,
    of: (group) => (group === "192.0.2.1" ? 1 : 0),
    changed: () => {},
    crowded: (group) => crowded.push(group),
  };
  beforeEach(() => {
    crowded.length = 0;
  });

  test("their connections count against the shared limit", () => {
    const limiter = new ConnectionLimiter({ maxConnections: 4, maxPerAddress: 10, maxHere: 10 }, elsewhere);
    filled(limiter, "192.0.2.2", [undefined, undefined]);
    expect(limiter.admits("192.0.2.3")).toBe(false);
    expect(crowded).toEqual([""]);
  });

  test("their connections count against the limit of an address", () => {
    const limiter = new ConnectionLimiter({ maxConnections: 100, maxPerAddress: 2 }, elsewhere);
    filled(limiter, "192.0.2.1", [undefined]);
    expect(limiter.admits("192.0.2.1")).toBe(false);
    expect(crowded).toEqual(["192.0.2.1"]);
    filled(limiter, "192.0.2.2", [undefined, undefined]);
  });

  test("a process has a limit of its own", () => {
    const limiter = new ConnectionLimiter({ maxConnections: 100, maxPerAddress: 10, maxHere: 2 }, elsewhere);
    filled(limiter, "192.0.2.2", [undefined, undefined]);
    expect(limiter.admits("192.0.2.3")).toBe(false);
    expect(crowded).toEqual([""]);
  });
});

test("beyond the limits a few connections are open at once, the newest ones", () => {
  const limiter = new ConnectionLimiter({ maxConnections: 0, maxPerAddress: 1 });
  const all = Array.from({ length: overflowConnections + 2 }, () => new FakeConnection(undefined));
  for (const connection of all) limiter.addOverflow(connection);
  expect(all.map(({ isEvicted }) => isEvicted).lastIndexOf(true)).toBe(1);
  expect([limiter.open, limiter.overflowed]).toEqual([overflowConnections, overflowConnections + 2]);
  for (const connection of all) limiter.remove(connection);
  expect(limiter.open).toBe(0);
});
