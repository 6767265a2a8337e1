export { FakeClock, sleep, systemClock, type Clock } from './clock.ts';
export type { Component } from './component.ts';
export { silentLogger, type LogFields, type Logger } from './log.ts';
export type { AnyShape, Field, ListShape, MapShape, ObjectShape, ScalarShape, ScalarType, Shape } from './shape.ts';
