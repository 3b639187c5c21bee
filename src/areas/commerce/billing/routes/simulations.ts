import { csvList } from "../../../../api/csv-list.ts";
import { list, read, routeScope, write } from "../../../../api/endpoint.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { findMeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { bucketPath } from "../../metering-buckets/paths.ts";
import { simulatedCustomer, simulation, simulationInput, simulationStarted } from "../schemas/simulation-schema.ts";
import {
  deleteSimulation,
  findSimulation,
  listSimulatedCustomers,
  listSimulations,
  presentSimulation,
  simulationRevision,
  startSimulation,
} from "../simulations/simulations.ts";
import { simulatedCustomerColumns } from "./csv-columns.ts";

const path = `${bucketPath}/simulations` as const;
const onePath = `${path}/{simulationId}` as const;

export function simulationRoutes() {
  const find = async (
    reads: Reads,
    accountSeq: number,
    { bucketId, simulationId }: Record<"bucketId" | "simulationId", string>,
  ) => findSimulation(reads, await findMeteringBucket(reads, accountSeq, bucketId), simulationId);
  return routeScope({ inAccountOfCaller: true }, [
    write({
      operationId: "simulatePlans",
      method: "POST",
      path: `${bucketPath}/$simulate`,
      summary: "Simulate other plans",
      description:
        "Computes in the background what customers would have been billed for past usage with other prices, rates or " +
        "maximums, in the periods that began at `from` or later and ended by `to`. It changes nothing. The result is kept " +
        "for 30 days.",
      access: "bill",
      body: simulationInput,
      response: simulationStarted,
      accepted: "for-jobs",
      problems: ["too_many_simulations"],
      examples: { response: { id: "sim_0QGzNqW81Kx8VhTb3mPcRdZu", jobId: "job_0QGzNqW81Kx8VhTb3mPcRdZu" } },
      handle: async ({ act, params, body }, transaction) => {
        const bucket = await findMeteringBucket(transaction, act.account.seq, params.bucketId);
        return { body: await startSimulation({ transaction, act, bucket }, body), startsJob: true };
      },
    }),
    list({
      operationId: "listSimulations",
      path,
      summary: "List simulations",
      description: "The newest first.",
      access: "read",
      item: simulation,
      listName: "SimulationList",
      handle: async ({ reads, act, params, query }) => {
        const bucket = await findMeteringBucket(reads, act.account.seq, params.bucketId);
        const { data, total } = await listSimulations(reads, bucket, query);
        return { data: await Promise.all(data.map((row) => presentSimulation(reads, row))), total };
      },
    }),
    read({
      operationId: "getSimulation",
      path: onePath,
      summary: "Read a simulation",
      description: "Its progress, and the result when it has succeeded.",
      access: "read",
      response: simulation,
      handle: async ({ reads, act, params }) => {
        const row = await find(reads, act.account.seq, params);
        return {
          body: await presentSimulation(reads, row),
          revision: simulationRevision(row),
          composed: true,
        };
      },
    }),
    csvList({
      operationId: "listSimulatedCustomers",
      path: `${onePath}/customers`,
      summary: "List the customers of a simulation",
      description: "The largest difference first. Also as `text/csv`, if the Accept header prefers it.",
      access: "read",
      item: simulatedCustomer,
      listName: "SimulatedCustomerList",
      csv: simulatedCustomerColumns,
      handle: async ({ reads, act, params, query }) => {
        const bucket = await findMeteringBucket(reads, act.account.seq, params.bucketId);
        return listSimulatedCustomers(reads, bucket, params.simulationId, query);
      },
    }),
    write({
      operationId: "deleteSimulation",
      method: "DELETE",
      path: onePath,
      summary: "Cancel or delete a simulation",
      description: "One that is in progress is canceled, and one that has ended is deleted.",
      access: "bill",
      handle: async ({ act, params, precondition }, transaction) => {
        const bucket = await findMeteringBucket(transaction, act.account.seq, params.bucketId);
        await deleteSimulation({ transaction, act, bucket }, params.simulationId, precondition);
        return {};
      },
    }),
  ]);
}
