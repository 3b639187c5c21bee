import type { Handler } from "tollgate/gateway";
import { greet } from "./greeting.ts";

const hello: Handler = (_request, context) => {
  context.log.info(`${context.user?.sub} greets ${context.params.name}`);
  return Response.json({
    greeting: greet(context.environment.GREETING, context.params.name),
    from: context.user?.sub,
    seats: context.user?.data.seats,
  });
};

export default hello;
