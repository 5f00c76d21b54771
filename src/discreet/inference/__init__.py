"""Post-processing: questions to a posterior. Nothing here can weaken a guarantee, whatever is asked and however often."""

from discreet.inference.answer import Answer
from discreet.inference.compare import dirichlet_divergence
from discreet.inference.likelihood import log_likelihood
from discreet.inference.predict import predict, predict_proba
from discreet.inference.query import query, query_draws
from discreet.inference.sample import sample

__all__ = ["Answer", "dirichlet_divergence", "log_likelihood", "predict", "predict_proba", "query", "query_draws", "sample"]
