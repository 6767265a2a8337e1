import type { ServerResponse as HttpResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { IntrusiveSet, type Placed } from '@kubernode/machinery';
import type { ServerContext } from '../context.ts';
import type { TurnEnd } from '../turn-end.ts';
import { JoinedPieces } from './joined-pieces.ts';
import { LaneExchange, type LaneConnection } from './lane-exchange.ts';
import type { ClientCertificate } from './request.ts';
import { SimpleHeads, type SimpleHead } from './simple-head.ts';

/** More than that is not read ahead of the answer. */
const aheadBytesMax = 64 * 1024;
/** What goes on for long, or is handed on to others; in percents it may be written in many ways. */
const notForUs = /^[^?]*%|\/(?:watch|proxy|exec|attach|portforward|log)(?:[/?]|$)|[?&](?:watch|[^=&]*%)/;

/** What the lanes of a listener share. */
interface Shared {
  readonly busy: IntrusiveSet<Lane>;
  /** Requests of one turn begin together, see `serve.ts`. */
  readonly turnEnd: TurnEnd;
}

/** The connections of a listener that have a fast lane. */
export class Lanes {
  readonly #server: ServerContext;
  readonly #ofSockets = new WeakMap<object, Lane>();
  readonly #shared: Shared;

  constructor(server: ServerContext, turnEnd: TurnEnd) {
    this.#server = server;
    this.#shared = { busy: new IntrusiveSet<Lane>(), turnEnd };
  }

  /** Call it when Node's HTTP has taken the connection. */
  open(socket: TLSSocket, certificate: ClientCertificate): void {
    const lane = new Lane({ socket, server: this.#server, certificate }, this.#shared);
    this.#ofSockets.set(socket, lane);
  }

  of(socket: object): Lane | undefined {
    return this.#ofSockets.get(socket);
  }

  /** Node is about to close what it thinks idle. */
  hold(): void {
    for (const lane of this.#shared.busy) lane.hold();
  }
}

/**
 * A connection of HTTP/1.1, and a way past Node's HTTP on it. Most requests are simple: nothing about them is unusual, they
 * come in one piece, and their answers are small. Reading and answering them here costs a third of what Node takes, which sees
 * nothing of them. All else goes to Node byte for byte, the first request of each connection too: with it begins what Node
 * knows of its time limits. Whenever it is not clear where a message ends, the connection is Node's for good.
 */
class Lane implements Placed {
  place = -1;
  readonly #connection: LaneConnection;
  readonly #shared: Shared;
  readonly #heads = new SimpleHeads();
  /** Node's own listeners. */
  readonly #toNode: (chunk: Buffer) => void;
  readonly #endToNode: () => void;
  /** The client says nothing more. */
  #hasEnded = false;
  #isGreeted = false;
  /** Node reads a request of which so much is to come still, and answers it. */
  #owedBytes: number | undefined;
  #current: LaneExchange | undefined;
  /** What came ahead of the answer. */
  readonly #ahead = new JoinedPieces();

  constructor(connection: LaneConnection, shared: Shared) {
    const { socket } = connection;
    this.#connection = connection;
    this.#shared = shared;
    this.#toNode = socket.listeners('data')[0] as (chunk: Buffer) => void;
    this.#endToNode = socket.listeners('end').at(-1) as () => void;
    socket.off('data', this.#toNode).off('end', this.#endToNode);
    socket.on('data', this.#take).on('end', this.#end);
    // Who says nothing more may wait for an answer still.
    socket.allowHalfOpen = true;
    socket.once('close', () => this.#current?.giveUp());
  }

  get isBusy(): boolean {
    return this.#current !== undefined;
  }

  /** Node has begun to answer a request on this connection. */
  follow(outgoing: HttpResponse): void {
    outgoing.once('close', () => {
      if (this.#owedBytes === 0) this.#owedBytes = undefined;
    });
  }

  hold(): void {
    this.#current?.hold();
  }

  readonly #take = (chunk: Buffer): void => {
    if (this.#current) return this.#keep(chunk);
    if (this.#owedBytes !== undefined) return this.#passOn(chunk);
    const head = this.#heads.read(chunk);
    const owedBytes = head ? head.headBytes + head.bodyBytes - chunk.length : -1;
    if (!head || owedBytes < 0) return this.#leaveTo(chunk);
    if (this.#isGreeted && owedBytes === 0 && !notForUs.test(head.target)) return this.#begin(head, chunk);
    this.#isGreeted = true;
    this.#owedBytes = owedBytes;
    this.#toNode(chunk);
  };

  /** Node ends the connection: not before what the client said is answered. */
  readonly #end = (): void => {
    this.#hasEnded = true;
    if (!this.#current) this.#endToNode();
  };

  readonly #endLate = (): void => {
    if (!this.#connection.socket.destroyed) this.#endToNode();
  };

  #begin(head: SimpleHead, chunk: Buffer): void {
    const exchange = new LaneExchange(this.#connection, head, chunk.subarray(head.headBytes), this.#next);
    this.#current = exchange;
    this.#shared.busy.add(this);
    this.#shared.turnEnd.after(() => void exchange.answer());
  }

  readonly #next = (): void => {
    const { socket } = this.#connection;
    this.#current = undefined;
    this.#shared.busy.delete(this);
    // Of one that is closed, Node's parser may read another connection by now.
    if (this.#ahead.length > 0 && socket.writable) {
      socket.resume();
      this.#take(this.#ahead.take());
    }
    if (this.#hasEnded && !this.#current) setImmediate(this.#endLate);
  };

  /** The next request waits for its turn. */
  #keep(chunk: Buffer): void {
    this.#ahead.add(chunk);
    if (this.#ahead.length > aheadBytesMax) this.#connection.socket.pause();
  }

  /** The rest of a body; whatever comes beyond it, before the answer is out, is a pipeline. */
  #passOn(chunk: Buffer): void {
    this.#owedBytes! -= chunk.length;
    if (this.#owedBytes! < 0) this.#leaveTo(chunk);
    else this.#toNode(chunk);
  }

  /** For good. */
  #leaveTo(chunk: Buffer): void {
    const { socket } = this.#connection;
    socket.off('data', this.#take).on('data', this.#toNode);
    if (!this.#hasEnded) {
      socket.off('end', this.#end).on('end', this.#endToNode);
      socket.allowHalfOpen = false;
    }
    this.#toNode(chunk);
  }
}
