import { TokenReview } from '../../generated/types/authentication/v1.ts';
import { define } from '../define.ts';

export const tokenReview = define(TokenReview);
