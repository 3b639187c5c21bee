import { bucketPath, inBucket } from "../../metering-buckets/in-bucket.ts";
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
  return [
    inBucket.write({
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
      handle: async ({ act, bucket, body }, transaction) => ({
        body: await startSimulation({ transaction, act, bucket }, body),
        startsJob: true,
      }),
    }),
    inBucket.list({
      operationId: "listSimulations",
      path,
      summary: "List simulations",
      description: "The newest first.",
      access: "read",
      item: simulation,
      listName: "SimulationList",
      handle: async ({ reads, bucket, query }) => {
        const { data, total } = await listSimulations(reads, bucket, query);
        return { data: await Promise.all(data.map((row) => presentSimulation(reads, row))), total };
      },
    }),
    inBucket.read({
      operationId: "getSimulation",
      path: onePath,
      summary: "Read a simulation",
      description: "Its progress, and the result when it has succeeded.",
      access: "read",
      response: simulation,
      handle: async ({ reads, bucket, params }) => {
        const row = await findSimulation(reads, bucket, params.simulationId);
        return { body: await presentSimulation(reads, row), revision: simulationRevision(row), composed: true };
      },
    }),
    inBucket.list({
      operationId: "listSimulatedCustomers",
      path: `${onePath}/customers`,
      summary: "List the customers of a simulation",
      description: "The largest difference first. Also as `text/csv`, if the Accept header prefers it.",
      access: "read",
      item: simulatedCustomer,
      listName: "SimulatedCustomerList",
      csv: simulatedCustomerColumns,
      handle: async ({ reads, bucket, params, query }) =>
        listSimulatedCustomers(reads, bucket, params.simulationId, query),
    }),
    inBucket.remove({
      operationId: "deleteSimulation",
      path: onePath,
      summary: "Cancel or delete a simulation",
      description:
        "One that is in progress is canceled, and one that has ended is deleted. With the `If-Match` of one in progress, one " +
        "that has ended in the meantime is kept.",
      access: "bill",
      handle: ({ act, bucket, params, precondition }, transaction) =>
        deleteSimulation({ transaction, act, bucket }, params.simulationId, precondition),
    }),
  ];
}
