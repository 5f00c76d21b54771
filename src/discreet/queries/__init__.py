"""Post-processing: questions to a posterior. Nothing here can weaken a guarantee, whatever is asked and however often."""

from discreet.queries.answer import Answer
from discreet.queries.compare import dirichlet_divergence
from discreet.queries.likelihood import log_likelihood
from discreet.queries.predict import predict, predict_proba
from discreet.queries.query import query, query_draws
from discreet.queries.sample import sample

__all__ = ["Answer", "dirichlet_divergence", "log_likelihood", "predict", "predict_proba", "query", "query_draws", "sample"]
